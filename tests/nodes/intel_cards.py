# SPDX-License-Identifier: GPL-2.0-or-later
"""intel_cards.py - what i915 and xe tell of a card in files.

Names and forms: Linux 7.2 Documentation/ABI/testing/sysfs-driver-intel-{i915,xe}-hwmon, i915/gt/intel_gt_sysfs_pm.c,
xe/xe_gt_throttle.c, xe/xe_device_sysfs.c. Values: an A380 and a B580 as recorded in ilya-zlobintsev/LACT; of
the others, clocks and power as Intel lists them.
"""
REASONS = ("pl1", "pl2", "pl4", "thermal", "prochot", "ratl", "vr_thermalert", "vr_tdc")

# (highest clock of each part in MHz, watts, peak watts); None: no hwmon, as of integrated graphics.
CARDS = {
    "8086:56a0": ((2400,), 225, 300),
    "8086:56a5": ((2450,), 55, None),
    "8086:56c0": ((2050,), 150, None),
    "8086:0bd5": ((1600, 1600), 600, None),
    "8086:e20b": ((2850, 1500), 190, 380),
    "8086:a7a0": ((1500,), None, None),
    "8086:7d55": ((2300, 1400), None, None),
}


def i915_files(m, address, number):
    """number: of its DRM card; None: nobody described one."""
    clocks, watts, peak = CARDS.get(m.functions[address]["ids"], ((1300,), None, None))
    path = m.paths[address]
    for part, clock in enumerate(clocks if number is not None and m.release >= (5, 19) else ()):
        gt = f"{path}/drm/card{number}/gt/gt{part}"
        m.add(gt, rps_act_freq_mhz=0, rps_cur_freq_mhz=300, rps_min_freq_mhz=300, rps_max_freq_mhz=clock,
              rps_boost_freq_mhz=clock, rps_RP0_freq_mhz=clock, rps_RP1_freq_mhz=600, rps_RPn_freq_mhz=300,
              throttle_reason_status=0, **{f"throttle_reason_{reason}": 0 for reason in REASONS})
    if not watts or m.release < (6, 2):
        return
    newer = m.release >= (6, 12)
    m.add(f"{path}/hwmon/hwmon4", name="i915", in0_input=610, power1_max=watts * 1000000,
          power1_rated_max=watts * 1000000, power1_max_interval=28000, power1_crit=peak and peak * 1000000,
          energy1_input=59540970520, temp1_input=43000 if newer else None, fan1_input=945 if newer else None)
    m.add(f"{path}/hwmon/hwmon5", name="i915_gt0", energy1_input=41540970520)


def xe_files(m, address):
    clocks, watts, peak = CARDS.get(m.functions[address]["ids"], ((2000,), 100, None))
    path, release = m.paths[address], m.release
    for part, clock in enumerate(clocks):
        freq = f"{path}/tile0/gt{part}/freq0"
        m.add(freq, act_freq=0, cur_freq=300, min_freq=300, max_freq=clock, rp0_freq=clock, rpe_freq=600, rpn_freq=300)
        m.add(f"{freq}/throttle", status=0, reasons="none" if release >= (6, 18) else None,
              **{f"reason_{reason}": 0 for reason in REASONS})
    if watts:
        tells_heat, tells_limits = release >= (6, 15), release >= (7, 0)
        m.add(f"{path}/hwmon/hwmon4", name="xe", energy1_input=0 if peak else None, energy2_input=59540970520,
              energy2_label="pkg", in1_input=605, in1_label="pkg", power2_label="pkg",
              power2_max=None if peak else watts * 1000000, power1_cap=watts * 1000000 if peak else None,
              power1_crit=peak and peak * 1000000,
              **({"temp2_input": 46000, "temp2_label": "pkg", "temp3_input": 48000, "temp3_label": "vram"}
                 if tells_heat else {}),
              **({"temp2_crit": 100000, "temp2_emergency": 125000, "temp3_crit": 105000} if tells_limits else {}),
              **({"fan1_input": 0, "fan2_input": 418, "fan3_input": 0} if release >= (6, 16) else {}))
    if m.functions[address]["ids"] == "8086:e20b" and release >= (6, 16):
        m.add(path, auto_link_downgrade_capable=1, auto_link_downgrade_status=0)
        m.deny(f"{path}/auto_link_downgrade_capable")
        m.deny(f"{path}/auto_link_downgrade_status")
