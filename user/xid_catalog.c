// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Xid numbers: names from nverror.h of open-gpu-kernel-modules 515.43.04 ... 595.45.04; what to
 * do from NVIDIA's Xid catalogue (docs.nvidia.com/deploy/xid-errors, "Analyzing Xid Errors with
 * the Xid Catalog", as of 2025-10: its immediate action). Numbers 173 and up are only in the
 * header, of 162 to 170 the catalogue names no action. The words are ours.
 */
#include <stdio.h>
#include <string.h>
#include "xid_catalog.h"

const struct enum_name xid_actions[] = {
	{ XID_DO_UNKNOWN, "unknown" }, { XID_DO_NOTHING, "nothing" },
	{ XID_DO_FOLLOW, "follow_other" }, { XID_DO_APP, "restart_app" },
	{ XID_DO_RESET, "reset_gpu" }, { XID_DO_DRAIN, "drain_and_reset" },
	{ XID_DO_LINK, "check_nvlink" }, { XID_DO_FABRIC, "reset_fabric" },
	{ XID_DO_REBOOT, "restart_node" }, { XID_DO_VM, "restart_vm" },
	{ XID_DO_POWER, "check_power" }, { XID_DO_COOL, "check_cooling" },
	{ XID_DO_UPDATE, "update" }, { XID_DO_SUPPORT, "contact_support" },
	{ XID_DO_SAID, "as_said" }, {}
};

const struct enum_name xid_severities[] = {
	{ XID_INFO, "info" }, { XID_WARNING, "warning" }, { XID_ERROR, "error" },
	{ XID_FATAL, "fatal" }, {}
};

const char *xid_advice(u8 action)
{
	static const char *const words[] = {
		[XID_DO_UNKNOWN] = "not in the catalogue",
		[XID_DO_NOTHING] = "nothing, unless it recurs",
		[XID_DO_FOLLOW] = "act on the other error",
		[XID_DO_APP] = "restart the application",
		[XID_DO_RESET] = "reset the GPU",
		[XID_DO_DRAIN] = "drain, reset the GPU; replace if it recurs",
		[XID_DO_LINK] = "check the NVLink; reset the GPU",
		[XID_DO_FABRIC] = "stop the jobs; reset GPUs and NVSwitches",
		[XID_DO_REBOOT] = "restart the node; replace if it recurs",
		[XID_DO_VM] = "restart the virtual machine",
		[XID_DO_POWER] = "check power cables and seating",
		[XID_DO_COOL] = "check the cooling",
		[XID_DO_UPDATE] = "update driver and firmware",
		[XID_DO_SUPPORT] = "contact the vendor's support",
		[XID_DO_SAID] = "as the message says",
	};

	return action < sizeof(words) / sizeof(*words) ? words[action] : words[0];
}

static const struct xid_meaning meanings[] = {
	{ 8, XID_ERROR, XID_DO_APP, "ROBUST_CHANNEL_FIFO_ERROR_IDLE_TIMEOUT",
	  "a channel did not finish in time" },
	{ 11, XID_ERROR, XID_DO_APP, "ROBUST_CHANNEL_GR_ERROR_MISSING_HW",
	  "the commands sent to the GPU are corrupt" },
	{ 13, XID_ERROR, XID_DO_APP, "ROBUST_CHANNEL_GR_EXCEPTION",
	  "a kernel did what it must not: bad address, illegal instruction; look for a bug in it" },
	{ 14, XID_INFO, XID_DO_NOTHING, "ROBUST_CHANNEL_FAKE_ERROR",
	  "an error made on purpose" },
	{ 16, XID_WARNING, XID_DO_SUPPORT, "ROBUST_CHANNEL_VBLANK_CALLBACK_TIMEOUT",
	  "a display callback took too long" },
	{ 19, XID_WARNING, XID_DO_SUPPORT, "ROBUST_CHANNEL_DISP_MISSED_NOTIFIER",
	  "a display notification was missed" },
	{ 25, XID_ERROR, XID_DO_APP, "ROBUST_CHANNEL_GR_ILLEGAL_NOTIFY",
	  "the commands sent to the GPU are not valid" },
	{ 31, XID_ERROR, XID_DO_APP, "ROBUST_CHANNEL_FIFO_ERROR_MMU_ERR_FLT",
	  "the GPU accessed an address that is not mapped; the hardware is suspect if it follows one GPU" },
	{ 32, XID_ERROR, XID_DO_APP, "ROBUST_CHANNEL_PBDMA_ERROR",
	  "the commands sent to the GPU arrived corrupt; PCIe is suspect if it recurs" },
	{ 37, XID_WARNING, XID_DO_NOTHING, "ROBUST_CHANNEL_FECS_ERR_UNIMP_FIRMWARE_METHOD",
	  "context-switch firmware got a command it does not know" },
	{ 38, XID_WARNING, XID_DO_NOTHING, "ROBUST_CHANNEL_FECS_ERR_WATCHDOG_TIMEOUT",
	  "context-switch firmware did not answer its watchdog" },
	{ 39, XID_ERROR, XID_DO_APP, "ROBUST_CHANNEL_CE0_ERROR",
	  "copy engine 0 reported an error" },
	{ 40, XID_ERROR, XID_DO_APP, "ROBUST_CHANNEL_CE1_ERROR",
	  "copy engine 1 reported an error" },
	{ 41, XID_ERROR, XID_DO_APP, "ROBUST_CHANNEL_CE2_ERROR",
	  "copy engine 2 reported an error" },
	{ 42, XID_ERROR, XID_DO_SUPPORT, "ROBUST_CHANNEL_VIC_ERROR",
	  "the video image compositor reported an error" },
	{ 43, XID_ERROR, XID_DO_FOLLOW, "ROBUST_CHANNEL_RESETCHANNEL_VERIF_ERROR",
	  "the driver stopped this program; the GPU is fine, the error before it is the cause" },
	{ 44, XID_ERROR, XID_DO_NOTHING, "ROBUST_CHANNEL_GR_FAULT_DURING_CTXSW",
	  "a fault while contexts were switched" },
	{ 45, XID_WARNING, XID_DO_FOLLOW, "ROBUST_CHANNEL_PREEMPTIVE_REMOVAL",
	  "a channel was cleaned up: its program was killed, or an error came before" },
	{ 46, XID_FATAL, XID_DO_RESET, "ROBUST_CHANNEL_GPU_TIMEOUT_ERROR",
	  "the GPU stopped working" },
	{ 47, XID_ERROR, XID_DO_SUPPORT, "ROBUST_CHANNEL_NVENC0_ERROR",
	  "video encoder 0 reported an error" },
	{ 48, XID_FATAL, XID_DO_DRAIN, "ROBUST_CHANNEL_GPU_ECC_DBE",
	  "two bits of a memory word are wrong and cannot be corrected" },
	{ 54, XID_ERROR, XID_DO_POWER, "SILENT_RUNNING_PWR_REDUCED_CLOCKING",
	  "auxiliary power is not connected to the board" },
	{ 56, XID_ERROR, XID_DO_SUPPORT, "DISPLAY_CHANNEL_EXCEPTION",
	  "the display engine reported an error" },
	{ 57, XID_ERROR, XID_DO_SUPPORT, "FB_LINK_TRAINING_FAILURE_ERROR",
	  "the link to the video memory could not be trained" },
	{ 58, XID_ERROR, XID_DO_SUPPORT, "FB_MEMORY_ERROR",
	  "video memory reported an error" },
	{ 59, XID_ERROR, XID_DO_SUPPORT, "PMU_ERROR",
	  "the power controller reported an error" },
	{ 60, XID_ERROR, XID_DO_APP, "ROBUST_CHANNEL_SEC2_ERROR",
	  "the security or video processor reported an error" },
	{ 61, XID_ERROR, XID_DO_SUPPORT, "PMU_BREAKPOINT",
	  "the power controller stopped at a breakpoint" },
	{ 62, XID_FATAL, XID_DO_RESET, "PMU_HALT_ERROR",
	  "an internal microcontroller halted" },
	{ 63, XID_WARNING, XID_DO_NOTHING, "INFOROM_PAGE_RETIREMENT_EVENT",
	  "bad memory is marked to be replaced by spare rows or retired; a reset makes it so" },
	{ 64, XID_FATAL, XID_DO_RESET, "INFOROM_PAGE_RETIREMENT_FAILURE",
	  "bad memory could not be replaced by spare rows; replace the GPU if it stays so" },
	{ 65, XID_ERROR, XID_DO_SUPPORT, "ROBUST_CHANNEL_NVENC1_ERROR",
	  "video encoder 1 reported an error" },
	{ 66, XID_WARNING, XID_DO_NOTHING, "ROBUST_CHANNEL_FECS_ERR_REG_ACCESS_VIOLATION",
	  "the driver accessed a register it must not" },
	{ 67, XID_WARNING, XID_DO_NOTHING, "ROBUST_CHANNEL_FECS_ERR_VERIF_VIOLATION",
	  "the driver made an access it must not" },
	{ 68, XID_ERROR, XID_DO_APP, "ROBUST_CHANNEL_NVDEC0_ERROR",
	  "video decoder 0 reported an error" },
	{ 69, XID_ERROR, XID_DO_APP, "ROBUST_CHANNEL_GR_CLASS_ERROR",
	  "a command does not fit the class of its engine" },
	{ 70, XID_ERROR, XID_DO_APP, "ROBUST_CHANNEL_CE3_ERROR",
	  "copy engine 3 reported an error" },
	{ 71, XID_ERROR, XID_DO_APP, "ROBUST_CHANNEL_CE4_ERROR",
	  "copy engine 4 reported an error" },
	{ 72, XID_ERROR, XID_DO_APP, "ROBUST_CHANNEL_CE5_ERROR",
	  "copy engine 5 reported an error" },
	{ 73, XID_ERROR, XID_DO_SUPPORT, "ROBUST_CHANNEL_NVENC2_ERROR",
	  "video encoder 2 reported an error" },
	{ 74, XID_ERROR, XID_DO_LINK, "NVLINK_ERROR",
	  "an NVLink of this GPU reported an error; its other end may be the cause" },
	{ 75, XID_ERROR, XID_DO_APP, "ROBUST_CHANNEL_CE6_ERROR",
	  "copy engine 6 reported an error" },
	{ 76, XID_ERROR, XID_DO_APP, "ROBUST_CHANNEL_CE7_ERROR",
	  "copy engine 7 reported an error" },
	{ 77, XID_ERROR, XID_DO_APP, "ROBUST_CHANNEL_CE8_ERROR",
	  "copy engine 8 reported an error" },
	{ 78, XID_ERROR, XID_DO_UPDATE, "VGPU_START_ERROR",
	  "a virtual GPU could not be started" },
	{ 79, XID_FATAL, XID_DO_REBOOT, "ROBUST_CHANNEL_GPU_HAS_FALLEN_OFF_THE_BUS",
	  "the GPU does not answer on PCIe any more" },
	{ 80, XID_ERROR, XID_DO_APP, "PBDMA_PUSHBUFFER_CRC_MISMATCH",
	  "commands were corrupted on their way to the GPU" },
	{ 81, XID_ERROR, XID_DO_SUPPORT, "ROBUST_CHANNEL_VGA_SUBSYSTEM_ERROR",
	  "the VGA subsystem reported an error" },
	{ 82, XID_ERROR, XID_DO_APP, "ROBUST_CHANNEL_NVJPG0_ERROR",
	  "JPEG engine 0 reported an error" },
	{ 83, XID_ERROR, XID_DO_APP, "ROBUST_CHANNEL_NVDEC1_ERROR",
	  "video decoder 1 reported an error" },
	{ 84, XID_ERROR, XID_DO_APP, "ROBUST_CHANNEL_NVDEC2_ERROR",
	  "video decoder 2 reported an error" },
	{ 85, XID_ERROR, XID_DO_APP, "ROBUST_CHANNEL_CE9_ERROR",
	  "copy engine 9 reported an error" },
	{ 86, XID_ERROR, XID_DO_APP, "ROBUST_CHANNEL_OFA0_ERROR",
	  "optical flow engine 0 reported an error" },
	{ 87, XID_INFO, XID_DO_SUPPORT, "NVTELEMETRY_DRIVER_REPORT",
	  "the driver reports about itself" },
	{ 88, XID_ERROR, XID_DO_APP, "ROBUST_CHANNEL_NVDEC3_ERROR",
	  "video decoder 3 reported an error" },
	{ 89, XID_ERROR, XID_DO_APP, "ROBUST_CHANNEL_NVDEC4_ERROR",
	  "video decoder 4 reported an error" },
	{ 90, XID_ERROR, XID_DO_SUPPORT, "LTC_ERROR",
	  "the level-2 cache reported an error" },
	{ 92, XID_WARNING, XID_DO_NOTHING, "EXCESSIVE_SBE_INTERRUPTS",
	  "many single bits of memory had to be corrected" },
	{ 93, XID_WARNING, XID_DO_NOTHING, "INFOROM_ERASE_LIMIT_EXCEEDED",
	  "the board's information memory is written too often" },
	{ 94, XID_ERROR, XID_DO_APP, "ROBUST_CHANNEL_CONTAINED_ERROR",
	  "a memory error that only hit the program that used it" },
	{ 95, XID_FATAL, XID_DO_RESET, "ROBUST_CHANNEL_UNCONTAINED_ERROR",
	  "a memory error that may have hit every program on the GPU" },
	{ 96, XID_ERROR, XID_DO_APP, "ROBUST_CHANNEL_NVDEC5_ERROR",
	  "video decoder 5 reported an error" },
	{ 97, XID_ERROR, XID_DO_APP, "ROBUST_CHANNEL_NVDEC6_ERROR",
	  "video decoder 6 reported an error" },
	{ 98, XID_ERROR, XID_DO_APP, "ROBUST_CHANNEL_NVDEC7_ERROR",
	  "video decoder 7 reported an error" },
	{ 99, XID_ERROR, XID_DO_APP, "ROBUST_CHANNEL_NVJPG1_ERROR",
	  "JPEG engine 1 reported an error" },
	{ 100, XID_ERROR, XID_DO_APP, "ROBUST_CHANNEL_NVJPG2_ERROR",
	  "JPEG engine 2 reported an error" },
	{ 101, XID_ERROR, XID_DO_APP, "ROBUST_CHANNEL_NVJPG3_ERROR",
	  "JPEG engine 3 reported an error" },
	{ 102, XID_ERROR, XID_DO_APP, "ROBUST_CHANNEL_NVJPG4_ERROR",
	  "JPEG engine 4 reported an error" },
	{ 103, XID_ERROR, XID_DO_APP, "ROBUST_CHANNEL_NVJPG5_ERROR",
	  "JPEG engine 5 reported an error" },
	{ 104, XID_ERROR, XID_DO_APP, "ROBUST_CHANNEL_NVJPG6_ERROR",
	  "JPEG engine 6 reported an error" },
	{ 105, XID_ERROR, XID_DO_APP, "ROBUST_CHANNEL_NVJPG7_ERROR",
	  "JPEG engine 7 reported an error" },
	{ 106, XID_INFO, XID_DO_NOTHING, "SMBPBI_TEST_MESSAGE",
	  "a test message of board management" },
	{ 107, XID_INFO, XID_DO_NOTHING, "SMBPBI_TEST_MESSAGE_SILENT",
	  "a test message of board management" },
	{ 108, XID_ERROR, XID_DO_FOLLOW, "NVLINK_REMOTE_TRANSLATION_ERROR",
	  "an access over NVLink could not be translated at the other end" },
	{ 109, XID_FATAL, XID_DO_RESET, "ROBUST_CHANNEL_CTXSW_TIMEOUT_ERROR",
	  "a context could not be switched in time" },
	{ 110, XID_FATAL, XID_DO_RESET, "SEC_FAULT_ERROR",
	  "a security fault" },
	{ 119, XID_FATAL, XID_DO_RESET, "GSP_RPC_TIMEOUT",
	  "the GPU's system processor (GSP) did not answer in time" },
	{ 120, XID_FATAL, XID_DO_RESET, "GSP_ERROR",
	  "the GPU's system processor (GSP) failed" },
	{ 121, XID_WARNING, XID_DO_NOTHING, "C2C_ERROR",
	  "the chip-to-chip link to the CPU corrected an error" },
	{ 122, XID_ERROR, XID_DO_SUPPORT, "SPI_PMU_RPC_READ_FAIL",
	  "the board's flash memory could not be read" },
	{ 123, XID_ERROR, XID_DO_SUPPORT, "SPI_PMU_RPC_WRITE_FAIL",
	  "the board's flash memory could not be written" },
	{ 124, XID_ERROR, XID_DO_SUPPORT, "SPI_PMU_RPC_ERASE_FAIL",
	  "the board's flash memory could not be erased" },
	{ 125, XID_ERROR, XID_DO_SUPPORT, "INFOROM_FS_ERROR",
	  "the board's information memory is damaged" },
	{ 126, XID_ERROR, XID_DO_APP, "ROBUST_CHANNEL_CE10_ERROR",
	  "copy engine 10 reported an error" },
	{ 127, XID_ERROR, XID_DO_APP, "ROBUST_CHANNEL_CE11_ERROR",
	  "copy engine 11 reported an error" },
	{ 128, XID_ERROR, XID_DO_APP, "ROBUST_CHANNEL_CE12_ERROR",
	  "copy engine 12 reported an error" },
	{ 129, XID_ERROR, XID_DO_APP, "ROBUST_CHANNEL_CE13_ERROR",
	  "copy engine 13 reported an error" },
	{ 130, XID_ERROR, XID_DO_APP, "ROBUST_CHANNEL_CE14_ERROR",
	  "copy engine 14 reported an error" },
	{ 131, XID_ERROR, XID_DO_APP, "ROBUST_CHANNEL_CE15_ERROR",
	  "copy engine 15 reported an error" },
	{ 132, XID_ERROR, XID_DO_APP, "ROBUST_CHANNEL_CE16_ERROR",
	  "copy engine 16 reported an error" },
	{ 133, XID_ERROR, XID_DO_APP, "ROBUST_CHANNEL_CE17_ERROR",
	  "copy engine 17 reported an error" },
	{ 134, XID_ERROR, XID_DO_APP, "ROBUST_CHANNEL_CE18_ERROR",
	  "copy engine 18 reported an error" },
	{ 135, XID_ERROR, XID_DO_APP, "ROBUST_CHANNEL_CE19_ERROR",
	  "copy engine 19 reported an error" },
	{ 136, XID_FATAL, XID_DO_RESET, "ALI_TRAINING_FAIL",
	  "an NVLink could not be trained" },
	{ 137, XID_ERROR, XID_DO_FOLLOW, "NVLINK_PRIV_ERR",
	  "an access over NVLink faulted at the other end: the program's bug, mostly" },
	{ 138, XID_ERROR, XID_DO_SUPPORT, "ROBUST_CHANNEL_DLA_ERROR",
	  "the deep-learning accelerator reported an error" },
	{ 139, XID_ERROR, XID_DO_APP, "ROBUST_CHANNEL_OFA1_ERROR",
	  "optical flow engine 1 reported an error" },
	{ 140, XID_FATAL, XID_DO_RESET, "UNRECOVERABLE_ECC_ERROR_ESCAPE",
	  "memory errors that could not be corrected, nor contained" },
	{ 141, XID_WARNING, XID_DO_NOTHING, "ROBUST_CHANNEL_FAST_PATH_ERROR",
	  "an error in CUDA's fast path" },
	{ 142, XID_ERROR, XID_DO_SUPPORT, "ROBUST_CHANNEL_NVENC3_ERROR",
	  "video encoder 3 reported an error" },
	{ 143, XID_FATAL, XID_DO_RESET, "GPU_INIT_ERROR",
	  "the GPU could not be initialised" },
	{ 144, XID_ERROR, XID_DO_LINK, "NVLINK_SAW_ERROR",
	  "unit SAW of an NVLink reported an error; the message has what it was" },
	{ 145, XID_ERROR, XID_DO_LINK, "NVLINK_RLW_ERROR",
	  "unit RLW of an NVLink reported an error; the message has what it was" },
	{ 146, XID_ERROR, XID_DO_LINK, "NVLINK_TLW_ERROR",
	  "unit TLW of an NVLink reported an error; the message has what it was" },
	{ 147, XID_ERROR, XID_DO_LINK, "NVLINK_TREX_ERROR",
	  "unit TREX of an NVLink reported an error; the message has what it was" },
	{ 148, XID_ERROR, XID_DO_LINK, "NVLINK_NVLPW_CTRL_ERROR",
	  "unit NVLPW_CTRL of an NVLink reported an error; the message has what it was" },
	{ 149, XID_ERROR, XID_DO_LINK, "NVLINK_NETIR_ERROR",
	  "unit NETIR of an NVLink reported an error; the message has what it was" },
	{ 150, XID_ERROR, XID_DO_LINK, "NVLINK_MSE_ERROR",
	  "unit MSE of an NVLink reported an error; the message has what it was" },
	{ 151, XID_ERROR, XID_DO_VM, "ROBUST_CHANNEL_KEY_ROTATION_ERROR",
	  "keys of confidential computing could not be changed" },
	{ 152, XID_WARNING, XID_DO_NOTHING, "ROBUST_CHANNEL_DLA_SMMU_ERROR",
	  "the deep-learning accelerator's memory unit faulted" },
	{ 153, XID_WARNING, XID_DO_NOTHING, "ROBUST_CHANNEL_DLA_TIMEOUT",
	  "the deep-learning accelerator took too long" },
	{ 154, XID_INFO, XID_DO_SAID, "GPU_RECOVERY_ACTION_CHANGED",
	  "what has to be done about an earlier error has changed" },
	{ 155, XID_ERROR, XID_DO_RESET, "NVLINK_SW_DEFINED_ERROR",
	  "software closed an NVLink: the fabric was reconfigured or its manager died" },
	{ 156, XID_WARNING, XID_DO_RESET, "RESOURCE_RETIREMENT_EVENT",
	  "a damaged part of the GPU is retired; a reset makes it so" },
	{ 157, XID_WARNING, XID_DO_NOTHING, "RESOURCE_RETIREMENT_FAILURE",
	  "a damaged part of the GPU could not be retired" },
	{ 158, XID_FATAL, XID_DO_RESET, "GPU_FATAL_TIMEOUT",
	  "the GPU took too long and is given up" },
	{ 159, XID_ERROR, XID_DO_APP, "ROBUST_CHANNEL_CHI_NON_DATA_ERROR",
	  "an access by the CPU's bus protocol failed" },
	{ 160, XID_WARNING, XID_DO_NOTHING, "CHANNEL_RETIREMENT_EVENT",
	  "a damaged memory channel is retired" },
	{ 161, XID_WARNING, XID_DO_NOTHING, "CHANNEL_RETIREMENT_FAILURE",
	  "a damaged memory channel could not be retired" },
	{ 162, XID_INFO, XID_DO_UNKNOWN, "ISINK_REENGAGED",
	  "power smoothing works again" },
	{ 163, XID_WARNING, XID_DO_UNKNOWN, "ISINK_DISENGAGED",
	  "power smoothing was switched off" },
	{ 164, XID_WARNING, XID_DO_UNKNOWN, "ISINK_LOW_LIFETIME",
	  "power smoothing is nearly worn out" },
	{ 165, XID_WARNING, XID_DO_UNKNOWN, "ISINK_ZERO_LIFETIME",
	  "power smoothing is worn out" },
	{ 166, XID_ERROR, XID_DO_UNKNOWN, "NVLINK_SECURE_NVLE_ERROR",
	  "NVLink had traffic before its encryption was set up" },
	{ 167, XID_FATAL, XID_DO_UNKNOWN, "PCIE_FATAL_TIMEOUT",
	  "a PCIe access was never answered" },
	{ 168, XID_WARNING, XID_DO_UNKNOWN, "REDUCED_GPU_MEMORY_CAPACITY",
	  "protected memory is damaged: less memory is left" },
	{ 169, XID_FATAL, XID_DO_UNKNOWN, "SEC2_HALT_ERROR",
	  "the security processor halted" },
	{ 170, XID_ERROR, XID_DO_UNKNOWN, "NVLINK_SECURE_ERROR",
	  "an NVLink interrupt in confidential computing" },
	{ 171, XID_FATAL, XID_DO_FOLLOW, "UNCORRECTABLE_DRAM_ERROR",
	  "more about an Xid 48: it was in the memory chips (DRAM)" },
	{ 172, XID_FATAL, XID_DO_FOLLOW, "UNCORRECTABLE_SRAM_ERROR",
	  "more about an Xid 48: it was inside the GPU (SRAM)" },
	{ 173, XID_FATAL, XID_DO_UNKNOWN, "C2C_FATAL_LINK_FAILURE",
	  "the chip-to-chip link to the CPU failed" },
	{ 174, XID_INFO, XID_DO_UNKNOWN, "ROBUST_CHANNEL_RESETCHANNEL_KILL_PROCESS_SILENT",
	  "the driver stopped a program's channels" },
	{ 175, XID_ERROR, XID_DO_UNKNOWN, "MEMORY_SUBSYSTEM_ERROR",
	  "the memory subsystem reported an error" },
	{ 176, XID_WARNING, XID_DO_UNKNOWN, "PCIE_CORRECTABLE_ERROR_FAULT",
	  "many PCIe errors had to be corrected" },
};

/* "... to 0x1 (GPU Reset Required)": NV2080_CTRL_GPU_RECOVERY_ACTION_* of ctrl2080gpu.h */
static u8 recovery_action(const char *message)
{
	const char *to = message ? strstr(message, " to 0x") : NULL;
	unsigned int v;

	if (!to || sscanf(to, " to 0x%x", &v) != 1)
		return XID_DO_SAID;
	switch (v) {
	case 0: return XID_DO_NOTHING;
	case 1: return XID_DO_RESET;
	case 2: return XID_DO_REBOOT;
	case 3: case 4: return XID_DO_DRAIN;
	default: return XID_DO_SAID;
	}
}

static struct xid_meaning gpu_meaning(u32 code, const char *message)
{
	struct xid_meaning m = { .code = code, .severity = XID_ERROR,
				 .text = "no published meaning" };

	for (size_t i = 0; i < sizeof(meanings) / sizeof(*meanings); i++)
		if (meanings[i].code == code)
			m = meanings[i];
	if (m.action == XID_DO_SAID)
		m.action = recovery_action(message);
	return m;
}

/* SXids by unit; the numbers are grouped so in nvswitch_err_type (ctrl_dev_nvswitch.h). */
static const struct { u16 from, to; const char *text; } units[] = {
	{ 10000, 10003, "NVSwitch, its access from the host" },
	{ 10004, 10006, "NVSwitch, temperature" },
	{ 10007, 10999, "NVSwitch, its access from the host" },
	{ 11000, 11999, "NVSwitch port, packets coming in" },
	{ 12000, 12999, "NVSwitch port, packets going out" },
	{ 13000, 14999, "NVSwitch port, state of its transactions" },
	{ 15000, 15999, "NVSwitch port, routing" },
	{ 16000, 16999, "NVSwitch port" },
	{ 17000, 17999, "NVSwitch, link control" },
	{ 18000, 18999, "NVLink at an NVSwitch, protocol" },
	{ 19000, 19999, "NVLink at an NVSwitch, transaction layer" },
	{ 20000, 20999, "NVLink at an NVSwitch, data link and training" },
	{ 21000, 21999, "NVSwitch, crossbar (first generation)" },
	{ 22000, 22999, "NVSwitch, link firmware (MINION)" },
	{ 23000, 23999, "NVSwitch, crossbar" },
	{ 24000, 24999, "NVSwitch port, source tracking of packets" },
	{ 25000, 25999, "NVLink at an NVSwitch, link state" },
	{ 26000, 26999, "NVSwitch, its microcontroller (SOE)" },
	{ 27000, 27999, "NVSwitch, cables and optics" },
	{ 28000, 28999, "NVSwitch, temperature of the optics" },
	{ 29000, 29999, "NVSwitch port, multicast" },
	{ 30000, 30999, "NVSwitch port, reductions" },
};

/* Whether an SXid is fatal the driver says itself. */
static struct xid_meaning switch_meaning(u32 code, u8 fatal)
{
	struct xid_meaning m = {
		.code = code, .text = "NVSwitch",
		.severity = fatal == 1 ? XID_FATAL : fatal == 2 ? XID_WARNING : XID_ERROR,
		.action = fatal == 1 ? XID_DO_FABRIC : fatal == 2 ? XID_DO_NOTHING :
			  XID_DO_UNKNOWN,
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (code >= units[i].from && code <= units[i].to)
			m.text = units[i].text;
	for (const struct sxid_name *n = sxid_names; n->name && n->code <= code; n++)
		if (n->code == code)
			m.name = n->name;
	if ((code >= 10004 && code <= 10006) || (code > 28000 && code < 29000))
		m.action = XID_DO_COOL;
	return m;
}

struct xid_meaning xid_meaning(u32 code, bool nvswitch, u8 fatal, const char *message)
{
	return nvswitch ? switch_meaning(code, fatal) : gpu_meaning(code, message);
}
