/* SPDX-License-Identifier: GPL-2.0-or-later */
/* readers.h - what the rows of source.def name: how a kind begins, and its reader. dump.h says what they do. */
#pragma once

#include "import/dump/dump.h"

enum dump_begins smi_query_begins(const struct dump_line *lines, size_t nr);
void smi_query_read(struct reading *reading);

enum dump_begins smi_xml_begins(const struct dump_line *lines, size_t nr);
void smi_xml_read(struct reading *reading);

enum dump_begins smi_csv_begins(const struct dump_line *lines, size_t nr);
void smi_csv_read(struct reading *reading);
/* Does a command print it? Without a header only that tells what its lines are. */
bool smi_csv_is_command(const char *command);

enum dump_begins smi_list_begins(const struct dump_line *lines, size_t nr);
void smi_list_read(struct reading *reading);

enum dump_begins smi_topo_begins(const struct dump_line *lines, size_t nr);
void smi_topo_read(struct reading *reading);

enum dump_begins smi_table_begins(const struct dump_line *lines, size_t nr);
void smi_table_read(struct reading *reading);

enum dump_begins gpustat_begins(const struct dump_line *lines, size_t nr);
void gpustat_read(struct reading *reading);
/* Where the name of the host stands in its head, or NULL: the line is none. */
const char *gpustat_host(const struct dump_line *lines, size_t nr);

enum dump_begins nvitop_begins(const struct dump_line *lines, size_t nr);
void nvitop_read(struct reading *reading);

enum dump_begins process_list_begins(const struct dump_line *lines, size_t nr);
void process_list_read(struct reading *reading);

enum dump_begins smi_failure_begins(const struct dump_line *lines, size_t nr);
void smi_failure_read(struct reading *reading);

enum dump_begins lspci_begins(const struct dump_line *lines, size_t nr);
void lspci_read(struct reading *reading);
/*
 * Does a command print one function, of which it names the address? What was searched out of that has no line that
 * does.
 */
bool lspci_is_command_of_one(const char *command);

enum dump_begins lspci_tree_begins(const struct dump_line *lines, size_t nr);
void lspci_tree_read(struct reading *reading);

enum dump_begins lshw_begins(const struct dump_line *lines, size_t nr);
void lshw_read(struct reading *reading);
enum dump_begins lshw_json_begins(const struct dump_line *lines, size_t nr);
void lshw_json_read(struct reading *reading);
enum dump_begins inxi_begins(const struct dump_line *lines, size_t nr);
void inxi_read(struct reading *reading);

enum dump_begins dmidecode_begins(const struct dump_line *lines, size_t nr);
void dmidecode_read(struct reading *reading);
enum dump_begins amd_smi_json_begins(const struct dump_line *lines, size_t nr);
void amd_smi_json_read(struct reading *reading);

enum dump_begins amd_smi_text_begins(const struct dump_line *lines, size_t nr);
void amd_smi_text_read(struct reading *reading);

enum dump_begins amd_smi_table_begins(const struct dump_line *lines, size_t nr);
void amd_smi_table_read(struct reading *reading);

enum dump_begins amd_smi_csv_begins(const struct dump_line *lines, size_t nr);
void amd_smi_csv_read(struct reading *reading);
enum dump_begins rocm_smi_csv_begins(const struct dump_line *lines, size_t nr);
void rocm_smi_csv_read(struct reading *reading);

enum dump_begins rocm_smi_json_begins(const struct dump_line *lines, size_t nr);
void rocm_smi_json_read(struct reading *reading);
enum dump_begins rocm_smi_text_begins(const struct dump_line *lines, size_t nr);
void rocm_smi_text_read(struct reading *reading);

enum dump_begins amd_monitor_begins(const struct dump_line *lines, size_t nr);
void amd_monitor_read(struct reading *reading);
enum dump_begins rocminfo_begins(const struct dump_line *lines, size_t nr);
void rocminfo_read(struct reading *reading);
enum dump_begins rocm_failure_begins(const struct dump_line *lines, size_t nr);
void rocm_failure_read(struct reading *reading);

enum dump_begins amd_topo_begins(const struct dump_line *lines, size_t nr);
void amd_topo_read(struct reading *reading);

enum dump_begins xpu_smi_json_begins(const struct dump_line *lines, size_t nr);
void xpu_smi_json_read(struct reading *reading);
enum dump_begins xpu_smi_text_begins(const struct dump_line *lines, size_t nr);
void xpu_smi_text_read(struct reading *reading);
enum dump_begins xpu_smi_table_begins(const struct dump_line *lines, size_t nr);
void xpu_smi_table_read(struct reading *reading);
enum dump_begins hl_smi_begins(const struct dump_line *lines, size_t nr);
void hl_smi_read(struct reading *reading);

enum dump_begins xpu_metrics_begins(const struct dump_line *lines, size_t nr);
void xpu_metrics_read(struct reading *reading);
enum dump_begins intel_gpu_top_begins(const struct dump_line *lines, size_t nr);
void intel_gpu_top_read(struct reading *reading);
enum dump_begins sensors_begins(const struct dump_line *lines, size_t nr);
void sensors_read(struct reading *reading);

enum dump_begins rdma_ports_begins(const struct dump_line *lines, size_t nr);
void rdma_ports_read(struct reading *reading);

enum dump_begins disk_health_begins(const struct dump_line *lines, size_t nr);
void disk_health_read(struct reading *reading);
enum dump_begins disk_health_json_begins(const struct dump_line *lines, size_t nr);
void disk_health_json_read(struct reading *reading);

enum dump_begins disk_array_begins(const struct dump_line *lines, size_t nr);
void disk_array_read(struct reading *reading);

enum dump_begins file_systems_begins(const struct dump_line *lines, size_t nr);
void file_systems_read(struct reading *reading);

enum dump_begins memory_use_begins(const struct dump_line *lines, size_t nr);
void memory_use_read(struct reading *reading);

enum dump_begins memory_errors_begins(const struct dump_line *lines, size_t nr);
void memory_errors_read(struct reading *reading);

enum dump_begins unit_list_begins(const struct dump_line *lines, size_t nr);
void unit_list_read(struct reading *reading);

enum dump_begins samples_begins(const struct dump_line *lines, size_t nr);
void samples_read(struct reading *reading);

enum dump_begins dcgm_json_begins(const struct dump_line *lines, size_t nr);
void dcgm_json_read(struct reading *reading);
enum dump_begins dcgm_table_begins(const struct dump_line *lines, size_t nr);
void dcgm_table_read(struct reading *reading);

enum dump_begins dcgmi_begins(const struct dump_line *lines, size_t nr);
void dcgmi_read(struct reading *reading);
enum dump_begins xpu_precheck_begins(const struct dump_line *lines, size_t nr);
void xpu_precheck_read(struct reading *reading);

enum dump_begins nccl_tests_begins(const struct dump_line *lines, size_t nr);
void nccl_tests_read(struct reading *reading);

enum dump_begins nvbandwidth_json_begins(const struct dump_line *lines, size_t nr);
void nvbandwidth_json_read(struct reading *reading);
enum dump_begins nvbandwidth_begins(const struct dump_line *lines, size_t nr);
void nvbandwidth_read(struct reading *reading);
enum dump_begins p2p_test_begins(const struct dump_line *lines, size_t nr);
void p2p_test_read(struct reading *reading);
enum dump_begins bandwidth_test_begins(const struct dump_line *lines, size_t nr);
void bandwidth_test_read(struct reading *reading);
enum dump_begins rocm_bandwidth_begins(const struct dump_line *lines, size_t nr);
void rocm_bandwidth_read(struct reading *reading);
enum dump_begins clpeak_begins(const struct dump_line *lines, size_t nr);
void clpeak_read(struct reading *reading);
enum dump_begins fabric_log_begins(const struct dump_line *lines, size_t nr);
void fabric_log_read(struct reading *reading);
enum dump_begins program_error_begins(const struct dump_line *lines, size_t nr);
void program_error_read(struct reading *reading);
enum dump_begins bmc_log_begins(const struct dump_line *lines, size_t nr);
void bmc_log_read(struct reading *reading);
enum dump_begins bmc_record_begins(const struct dump_line *lines, size_t nr);
void bmc_record_read(struct reading *reading);
enum dump_begins bmc_json_begins(const struct dump_line *lines, size_t nr);
void bmc_json_read(struct reading *reading);
enum dump_begins bmc_sensor_begins(const struct dump_line *lines, size_t nr);
void bmc_sensor_read(struct reading *reading);

enum dump_begins node_check_begins(const struct dump_line *lines, size_t nr);
void node_check_read(struct reading *reading);

enum dump_begins node_condition_begins(const struct dump_line *lines, size_t nr);
void node_condition_read(struct reading *reading);

enum dump_begins gpu_burn_begins(const struct dump_line *lines, size_t nr);
void gpu_burn_read(struct reading *reading);
enum dump_begins memtest_vulkan_begins(const struct dump_line *lines, size_t nr);
void memtest_vulkan_read(struct reading *reading);
enum dump_begins health_event_begins(const struct dump_line *lines, size_t nr);
void health_event_read(struct reading *reading);
enum dump_begins xid_monitor_begins(const struct dump_line *lines, size_t nr);
void xid_monitor_read(struct reading *reading);
/* What they read error_lines.h puts together. */
void unlisted_error_read(struct reading *reading);
void program_end_read(struct reading *reading);
void quoted_error_read(struct reading *reading);
void likely_error_read(struct reading *reading);
void error_beside_read(struct reading *reading);
/* Of what left_out.h leaves out: nothing is made of it. */
void left_out_read(struct reading *reading);
/* What it reads claims.h puts together. */
void claims_read(struct reading *reading);
enum dump_begins kube_node_begins(const struct dump_line *lines, size_t nr);
void kube_node_read(struct reading *reading);
enum dump_begins sysfs_begins(const struct dump_line *lines, size_t nr);
/* Of kinds that others read. */
void told_read(struct reading *reading);

/* How it begins tells bug_report.h. */
void bug_report_read(struct reading *reading);
void recorded_file_read(struct reading *reading);
