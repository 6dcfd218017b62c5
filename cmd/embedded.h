/* SPDX-License-Identifier: GPL-2.0-or-later */
/* embedded.h - documents that the build puts into the binary (kernels/embed.sh names them after their paths). */
#pragma once

extern const char embedded_man_events_schema_json[];
extern const char embedded_man_baseline_schema_json[];
extern const char embedded_man_bench_schema_json[];
extern const char embedded_man_diff_schema_json[];
extern const char embedded_man_report_schema_json[];
extern const char embedded_man_fleet_schema_json[];
extern const char embedded_man_topology_schema_json[];
extern const char embedded_man_watch_schema_json[];
/* What other programs take as it stands (cmd/integrate.c). */
extern const char embedded_cmd_integrate_ansible_yml[];
extern const char embedded_cmd_integrate_clush_sh[];
extern const char embedded_cmd_integrate_gpudiag_service[];
extern const char embedded_cmd_integrate_gpudiag_timer[];
extern const char embedded_cmd_integrate_grafana_json[];
extern const char embedded_cmd_integrate_kubernetes_daemonset_yml[];
extern const char embedded_cmd_integrate_kubernetes_init_yml[];
extern const char embedded_cmd_integrate_kubernetes_job_yml[];
extern const char embedded_cmd_integrate_nagios_cfg[];
extern const char embedded_cmd_integrate_nhc_conf[];
extern const char embedded_cmd_integrate_node_exporter_conf[];
extern const char embedded_cmd_integrate_npd_json[];
extern const char embedded_cmd_integrate_pdsh_sh[];
extern const char embedded_cmd_integrate_prometheus_yml[];
extern const char embedded_cmd_integrate_slurm_healthcheck_sh[];
extern const char embedded_cmd_integrate_slurm_prolog_sh[];
extern const char embedded_cmd_integrate_slurm_screen_sh[];
/* Recorded nodes: one, and what makes others of it (cmd/demo/remake.sh). */
extern const char embedded_cmd_demo_healthy_json[];
extern const char embedded_cmd_demo_hung_driver_ed[];
extern const char embedded_cmd_demo_narrow_link_ed[];
extern const char embedded_cmd_demo_starved_loader_ed[];
extern const char embedded_cmd_demo_starved_storage_ed[];
extern const char embedded_cmd_demo_xid_79_ed[];
