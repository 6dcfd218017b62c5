#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# prometheus.bats - metrics, alert rules and dashboard, as Debian's promtool, node_exporter and Prometheus take them.

load helpers.sh

setup_file() {
	local why
	why=$("$TOP/tests/cli/prometheus.sh" "$TOP/build/prometheus") || export NO_PROMETHEUS=$why
}

setup() {
	begin
	PATH=$PATH:$TOP/build/prometheus
}

teardown() {
	# shellcheck disable=SC2046 # a list of numbers
	kill $(jobs -p) 2> /dev/null || true
}

prometheus_or_skip() {
	[ -z "${NO_PROMETHEUS:-}" ] || skip "$NO_PROMETHEUS"
}

# families FILE: the names of metrics in it.
families() {
	sed -n 's/^# TYPE \([^ ]*\) .*/\1/p' "$1" | sort -u
}

@test "promtool finds nothing to complain of, whatever the node" {
	prometheus_or_skip
	local node
	for node in "$NODES"/*/; do
		gpudiag run --root "$node" -f prometheus=node.prom
		promtool check metrics < node.prom > said 2>&1 || fail "$node: $(cat said)"
		is "$(grep -v '^#' node.prom | sed 's/ [^ ]*$//' | sort | uniq -d)" "" "$node: samples that are there twice"
	done
	for node in "$TOP"/tests/snapshots/*.json; do
		gpudiag run --snapshot "$node" -f prometheus=node.prom
		is "$(grep -v '^#' node.prom | sed 's/ [^ ]*$//' | sort | uniq -d)" "" "$node: samples that are there twice"
		promtool check metrics < node.prom > said 2>&1 || fail "$node: $(cat said)"
	done
}

@test "names that are markup stay labels" {
	prometheus_or_skip
	need_tree h100-8-x8
	gpudiag collect --root "$NODES/h100-8-x8" -o seen
	jq --arg evil $'a"b\\c{d="e"} 1\nf \e[31m \ufffe' '.run.tool = $evil | .gpus[].nvidia.uuid = $evil | .gpus[].pci.driver = $evil' \
		seen > hostile
	gpudiag run --snapshot hostile -f prometheus=node.prom
	promtool check metrics < node.prom > said 2>&1 || fail "$(cat said)"
	hasnt node.prom $'\e'
}

@test "what is not known has no sample, and no sample a time" {
	need_tree h100-8
	gpudiag collect --root "$NODES/h100-8" -o seen
	jq '(.gpus[] | select(.key == "0000:19:00.0")).pci |= (.link_width = null | .unknown.link_width = "error: EIO")
		| (.gpus[] | select(.key == "0000:3b:00.0")).nvml.temperature_c = 41.5' seen > one
	gpudiag run --snapshot one -f prometheus
	has "$OUT" 'gpudiag_gpu_temperature_celsius{gpu="1",pci="0000:3b:00.0"} 41.5'
	hasnt "$OUT" 'gpudiag_gpu_pcie_link_lanes{gpu="0"'
	has "$OUT" 'gpudiag_gpu_pcie_link_lanes{gpu="1",pci="0000:3b:00.0"} 16'
	is "$(grep -cE '^[a-z_]+({.*})? [^ ]+ [^ ]+$' "$OUT")" 0
	is "$(grep -v '^#' "$OUT" | sed 's/ [^ ]*$//' | sort | uniq -d)" "" "samples that are there twice"
	is "$(sed -n 's/^# HELP \([^ ]*\) .*/\1/p' "$OUT" | sort | uniq -d)" "" "families that are there twice"
}

@test "figures are in base units, and findings those of the report" {
	gpudiag run --snapshot "$TOP/tests/snapshots/mi300x-8-load.json" -f prometheus -f json=report
	has "$OUT" 'gpudiag_gpu_power_watts{gpu="0",pci="0000:05:00.0"} 702'
	has "$OUT" 'gpudiag_gpu_utilization_ratio{gpu="0",pci="0000:05:00.0"} 0.99'
	has "$OUT" 'gpudiag_gpu_pcie_link_transfers_per_second{gpu="0",pci="0000:05:00.0"} 32000000000'
	is "$(grep -c '^gpudiag_finding{' "$OUT")" "$(jq '.findings | length' report)"
	is "$(grep -c '^gpudiag_check_result{' "$OUT")" "$(jq '[.checks[] | select(.result != "skip")] | length' report)"
	has "$OUT" "gpudiag_exit_status $(jq .exit_status report)"
	gpudiag run --snapshot "$TOP/tests/snapshots/h100-8-opencl.json" -f prometheus
	has "$OUT" 'gpudiag_timing_seconds{test="launch-latency",gpu="0",pci="0000:19:00.0",of="' '"} 6.1725e-06'
}

@test "a new file is readable by node_exporter whatever the umask, and one that is there keeps its mode" {
	need_tree h100-8
	umask 077
	gpudiag run --root "$NODES/h100-8" -f prometheus=node.prom -f json=report
	is "$(stat -c %a node.prom report | tr '\n' ' ')" "644 600 "
	chmod 640 node.prom
	gpudiag run --root "$NODES/h100-8" -f prometheus=node.prom
	is "$(stat -c %a node.prom)" 640
	gpudiag run --root "$NODES/h100-8" -f prometheus=missing/node.prom
	refused "missing/node.prom: cannot write: No such file or directory"
}

@test "rules and dashboard use metrics that there are" {
	need_tree mi300x-8
	local there used
	gpudiag run --snapshot "$TOP/tests/snapshots/mi300x-8-load.json" -f prometheus=one
	gpudiag run --root "$NODES/h100-8-x8" -f prometheus=two
	gpudiag run --root "$NODES/mi300x-8" -f prometheus=three
	there=$(families <(cat one two three))
	gpudiag integrate prometheus
	cp "$OUT" rules.yml
	gpudiag integrate grafana
	jq -e '.panels | length > 8' "$OUT" > /dev/null
	while read -r used; do
		grep -qx "$used" <<< "$there" || fail "no run has $used"
	done < <(cat rules.yml "$OUT" | grep -oE 'gpudiag_[a-z_]+' | sort -u)
	gpudiag integrate prometheos
	refused 'integrate: unknown value "prometheos" (did you mean "prometheus"?)'
	prometheus_or_skip
	promtool check rules rules.yml > said 2>&1 || fail "$(cat said)"
}

# free_port: one that nothing listens on now.
free_port() {
	python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# alerts: those that fire, as "NAME ID GPU".
alerts() {
	curl -s "http://127.0.0.1:$server/api/v1/alerts" |
		jq -r '.data.alerts[] | select(.state == "firing") | [.labels.alertname, .labels.id // "-", .labels.gpu // "-"] | join(" ")' | sort
}

@test "a planted fault raises its alert, by way of node_exporter and Prometheus" {
	prometheus_or_skip
	command -v curl > /dev/null || skip "curl is not installed"
	need_tree h100-8-x8
	local exporter server i
	exporter=$(free_port) server=$(free_port)
	mkdir metrics
	"$GPUDIAG" integrate prometheus > rules.yml
	cat > prometheus.yml <<- YAML
		global: { scrape_interval: 1s, evaluation_interval: 1s }
		rule_files: [ rules.yml ]
		scrape_configs: [ { job_name: node, static_configs: [ { targets: [ "127.0.0.1:$exporter" ] } ] } ]
	YAML
	gpudiag collect --root "$NODES/h100-8-x8" -o seen
	jq --arg now "$(date -u +%Y-%m-%dT%H:%M:%S.000Z)" '.run.taken_at = $now' seen > recent
	gpudiag run --snapshot recent -f prometheus=metrics/gpudiag.prom
	is "$status" 2
	prometheus-node-exporter --web.listen-address="127.0.0.1:$exporter" --collector.disable-defaults \
		--collector.textfile --collector.textfile.directory=metrics > exporter.log 2>&1 3>&- &
	prometheus --config.file=prometheus.yml --storage.tsdb.path=data --web.listen-address="127.0.0.1:$server" \
		> server.log 2>&1 3>&- &
	for ((i = 0; i < 60; i++)); do
		[ -z "$(alerts)" ] || break
		sleep 0.5
	done
	is "$(alerts)" "GpudiagFailure pcie-width.below-twins 3"
	is "$(curl -s "http://127.0.0.1:$exporter/metrics" | grep '^node_textfile_scrape_error')" "node_textfile_scrape_error 0"
}
