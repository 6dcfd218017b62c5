// SPDX-License-Identifier: GPL-2.0-or-later
/* bmc_type.c - the types of sensors in IPMI 2.0, table 42-3, in the words of FreeIPMI and of ipmitool. */
#include "base/compat.h"
#include "import/bmc/bmc_sign.h"

#include "base/text.h"

bool bmc_is_type(const char *type, size_t len)
{
	static const char *const types[] = {
		"Temperature", "Voltage", "Current", "Fan", "Physical Security", "Platform Security",
		"Platform Security Violation Attempt", "Processor", "Power Supply", "Power Unit",
		"Cooling Device", "Other", "Other Units Based Sensor", "Memory", "Drive Slot",
		"Drive Slot / Bay", "Drive Slot (Bay)", "POST Memory Resize", "System Firmware Progress",
		"System Firmware", "System Firmwares", "Event Logging Disabled", "Watchdog 1", "Watchdog1",
		"System Event", "Critical Interrupt", "Button", "Button/Switch", "Module/Board",
		"Module / Board", "Microcontroller", "Microcontroller/Coprocessor", "Add In Card",
		"Add-in Card", "Chassis", "Chip Set", "Other FRU", "Cable/Interconnect",
		"Cable / Interconnect", "Terminator", "System Boot Initiated",
		"System Boot / Restart Initiated", "Boot Error", "OS Boot",
		"Base OS Boot / Installation Status", "OS Critical Stop", "OS Stop / Shutdown",
		"Slot/Connector", "Slot / Connector", "System ACPI Power State", "Watchdog 2", "Watchdog2",
		"Platform Alert", "Entity Presence", "Monitor ASIC", "Monitor ASIC/IC", "Monitor ASIC / IC",
		"LAN", "Management Subsystem Health", "Management Subsys Health", "Battery", "Session Audit",
		"Version Change", "FRU State", "OEM Reserved",
	};

	return text_word_is_any(type, len, types, ARRAY_SIZE(types));
}
