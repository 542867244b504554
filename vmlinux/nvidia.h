/*
 * What user space hands to nvidia.ko: the ioctls of /dev/nvidiactl and /dev/nvidiaN. Numbers,
 * names and layouts are facts of NVIDIA's public open-gpu-kernel-modules (nv_escape.h,
 * nv-ioctl-numbers.h, nvos.h), read at every tag from 515.43.04 to 595.45.04; they are an ABI,
 * but for the growths that RM_CALLS and the comments name. Needs u8 ... u64 (bpf/types.h or
 * vmlinux.h).
 */
#ifndef NVIDIA_H
#define NVIDIA_H

#define RM_IOCTL_TYPE 'F'	/* _IOC_TYPE; _IOC_NR is the escape, _IOC_SIZE tells variants */
#define RM_ESCAPE_XFER 211	/* struct rm_xfer: another escape, its size and its arguments */

/* 0x29 RM_FREE */
struct rm_free {
	u32 client, parent, object, status;
};

/* 0x2a RM_CONTROL */
struct rm_control {
	u32 client, object;
	u32 cmd;		/* class << 16 | category << 8 | number */
	u32 flags;
	u64 params;		/* user address */
	u32 params_size;
	u32 status;
};

/* 0x2b RM_ALLOC of 32 bytes */
struct rm_alloc {
	u32 client, parent, object;	/* client 0: it makes one */
	u32 class;
	u64 params;
	u32 params_size;	/* before 535: the status, and nothing behind it */
	u32 status;
};

/* 0x2b RM_ALLOC of 48 bytes, 40 before 535 */
struct rm_alloc_rights {
	u32 client, parent, object;
	u32 class;
	u64 params;
	u64 rights;
	u32 params_size;	/* 525, 530: flags, then the status at 36; before: the status */
	u32 flags;
	u32 status;
	u32 pad;
};

/* 0x27 RM_ALLOC_MEMORY */
struct rm_alloc_memory {
	u32 client, parent, object;
	u32 class;
	u32 flags, pad;
	u64 memory;		/* user address */
	u64 limit;		/* bytes - 1 */
	u32 status, pad2;
	s32 fd;
	u32 pad3;
};

/* 0x4e RM_MAP_MEMORY; mmap() on `fd` follows */
struct rm_map_memory {
	u32 client, device, memory, pad;
	u64 offset, bytes;
	u64 address;
	u32 status, flags;
	s32 fd;
	u32 pad2;
};

/* 0x4f RM_UNMAP_MEMORY */
struct rm_unmap_memory {
	u32 client, device, memory, pad;
	u64 address;
	u32 status, flags;
};

/* 0x34 RM_DUP_OBJECT */
struct rm_dup_object {
	u32 client, parent, object;
	u32 client_from, object_from;
	u32 flags, status;
};

/* 211: for arguments too large for _IOC_SIZE, and in newer libraries for all */
struct rm_xfer {
	u32 escape, size;
	u64 args;		/* user address */
};

/*
 * X(escape, name, size, status, since): the status (NV_STATUS, 0 success) is a u32 at byte
 * `status` of the arguments once the call returns, RM_NO_STATUS where there is none. Of rows
 * with one escape, that one holds whose size is _IOC_SIZE (0: any) and whose `since` is the
 * largest not above the driver's major number.
 */
#define RM_NO_STATUS 0xffff
#define RM_CALLS(X)						\
	X(0x27, ALLOC_MEMORY, 56, 40, 515)			\
	X(0x28, ALLOC_OBJECT, 20, 16, 515)			\
	X(0x29, FREE, 16, 12, 515)				\
	X(0x2a, CONTROL, 32, 28, 515)				\
	X(0x2b, ALLOC, 32, 24, 515)				\
	X(0x2b, ALLOC, 32, 28, 535)				\
	X(0x2b, ALLOC, 40, 32, 515)				\
	X(0x2b, ALLOC, 40, 36, 525)				\
	X(0x2b, ALLOC, 48, 40, 535)				\
	X(0x34, DUP_OBJECT, 28, 24, 515)			\
	X(0x35, SHARE, 24, 20, 515)				\
	X(0x39, I2C_ACCESS, 32, 24, 515)			\
	X(0x41, IDLE_CHANNELS, 56, 48, 515)			\
	X(0x4a, VID_HEAP_CONTROL, 0, 20, 515)			\
	X(0x4d, ACCESS_REGISTRY, 72, 64, 515)			\
	X(0x4e, MAP_MEMORY, 56, 40, 515)			\
	X(0x4f, UNMAP_MEMORY, 32, 24, 515)			\
	X(0x52, GET_EVENT_DATA, 16, 12, 515)			\
	X(0x54, ALLOC_CONTEXT_DMA2, 56, 48, 515)		\
	X(0x57, MAP_MEMORY_DMA, 56, 48, 515)			\
	X(0x57, MAP_MEMORY_DMA, 64, 56, 580)			\
	X(0x58, UNMAP_MEMORY_DMA, 40, 32, 515)			\
	X(0x58, UNMAP_MEMORY_DMA, 48, 40, 550)			\
	X(0x59, BIND_CONTEXT_DMA, 16, 12, 515)			\
	X(0x5e, UPDATE_DEVICE_MAPPING_INFO, 40, 32, 515)	\
	X(200, CARD_INFO, 0, RM_NO_STATUS, 515)			\
	X(201, REGISTER_FD, 4, RM_NO_STATUS, 515)		\
	X(206, ALLOC_OS_EVENT, 16, 12, 515)			\
	X(207, FREE_OS_EVENT, 16, 12, 515)			\
	X(209, STATUS_CODE, 12, 8, 515)				\
	X(210, CHECK_VERSION_STR, 72, RM_NO_STATUS, 515)	\
	X(212, ATTACH_GPUS_TO_FD, 0, RM_NO_STATUS, 515)		\
	X(213, QUERY_DEVICE_INTR, 8, 4, 515)			\
	X(214, SYS_PARAMS, 8, RM_NO_STATUS, 515)		\
	X(217, EXPORT_TO_DMABUF_FD, 0, RM_NO_STATUS, 515)	\
	X(218, WAIT_OPEN_COMPLETE, 8, 4, 550)

#endif
