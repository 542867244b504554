/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The part of the CUDA 13 runtime's public ABI that the simulator and the test programs use,
 * in our own words; tests/abi.bats compares it with the real headers where they exist.
 */
#ifndef CUDART_ABI_H
#define CUDART_ABI_H

#include "cuda_abi.h"

/* E(Name, number): the numbers are the driver's, the names what programs compare with */
#define CUDART_ERRORS(E)								\
	E(InvalidValue, 1) E(MemoryAllocation, 2) E(InitializationError, 3)		\
	E(CudartUnloading, 4) E(ProfilerDisabled, 5) E(InvalidConfiguration, 9)		\
	E(InvalidPitchValue, 12) E(InvalidSymbol, 13) E(InvalidHostPointer, 16)		\
	E(InvalidDevicePointer, 17) E(InvalidMemcpyDirection, 21) E(StubLibrary, 34)	\
	E(InsufficientDriver, 35) E(CallRequiresNewerDriver, 36)			\
	E(DevicesUnavailable, 46) E(MissingConfiguration, 52)				\
	E(InvalidDeviceFunction, 98) E(NoDevice, 100) E(InvalidDevice, 101)		\
	E(StartupFailure, 127) E(InvalidKernelImage, 200) E(DeviceUninitialized, 201)	\
	E(NoKernelImageForDevice, 209) E(ECCUncorrectable, 214)				\
	E(UnsupportedLimit, 215) E(PeerAccessUnsupported, 217) E(InvalidPtx, 218)	\
	E(FileNotFound, 301) E(OperatingSystem, 304) E(InvalidResourceHandle, 400)	\
	E(IllegalState, 401) E(SymbolNotFound, 500) E(NotReady, 600)			\
	E(IllegalAddress, 700) E(LaunchOutOfResources, 701) E(LaunchTimeout, 702)	\
	E(PeerAccessAlreadyEnabled, 704) E(PeerAccessNotEnabled, 705)			\
	E(ContextIsDestroyed, 709) E(Assert, 710) E(HostMemoryAlreadyRegistered, 712)	\
	E(HostMemoryNotRegistered, 713) E(LaunchFailure, 719)				\
	E(CooperativeLaunchTooLarge, 720) E(NotPermitted, 800) E(NotSupported, 801)	\
	E(SystemNotReady, 802) E(SystemDriverMismatch, 803)				\
	E(StreamCaptureUnsupported, 900) E(StreamCaptureInvalidated, 901)		\
	E(StreamCaptureMerge, 902) E(StreamCaptureUnmatched, 903)			\
	E(StreamCaptureUnjoined, 904) E(StreamCaptureIsolation, 905)			\
	E(StreamCaptureImplicit, 906) E(CapturedEvent, 907)				\
	E(StreamCaptureWrongThread, 908) E(Timeout, 909)				\
	E(GraphExecUpdateFailure, 910) E(Unknown, 999)

#define CUDART_ERROR_ENUM(name, number) cudaError##name = number,
typedef enum {
	cudaSuccess = 0,
	CUDART_ERRORS(CUDART_ERROR_ENUM)
} cudaError_t;

typedef CUstream cudaStream_t;
typedef CUevent cudaEvent_t;
typedef CUgraph cudaGraph_t;
typedef CUgraphNode cudaGraphNode_t;
typedef CUgraphExec cudaGraphExec_t;
typedef CUkernel cudaKernel_t;
typedef CUfunction cudaFunction_t;
typedef CUhostFn cudaHostFn_t;
typedef CUmemoryPool cudaMemPool_t;
typedef void (*cudaStreamCallback_t)(cudaStream_t stream, cudaError_t status, void *data);

typedef struct dim3 {
	unsigned int x, y, z;
} dim3;

#define cudaStreamLegacy CU_STREAM_LEGACY
#define cudaStreamPerThread CU_STREAM_PER_THREAD
enum { cudaStreamDefault = 0, cudaStreamNonBlocking = 1 };
enum { cudaEventDefault = 0, cudaEventBlockingSync = 1, cudaEventDisableTiming = 2,
       cudaEventInterprocess = 4 };
enum { cudaIpcMemLazyEnablePeerAccess = 1 };
enum { cudaHostAllocDefault = 0, cudaHostAllocPortable = 1, cudaHostAllocMapped = 2 };
enum { cudaMemAttachGlobal = 1, cudaMemAttachHost = 2, cudaMemAttachSingle = 4 };

enum cudaMemcpyKind {
	cudaMemcpyHostToHost, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost,
	cudaMemcpyDeviceToDevice, cudaMemcpyDefault,
};

enum cudaMemoryType {
	cudaMemoryTypeUnregistered, cudaMemoryTypeHost, cudaMemoryTypeDevice,
	cudaMemoryTypeManaged,
};

enum cudaStreamCaptureMode {
	cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal,
	cudaStreamCaptureModeRelaxed,
};

enum cudaStreamCaptureStatus {
	cudaStreamCaptureStatusNone, cudaStreamCaptureStatusActive,
	cudaStreamCaptureStatusInvalidated,
};

struct cudaMemLocation {
	int type, id;
};

enum cudaMemPoolAttr {
	cudaMemPoolReuseFollowEventDependencies = 1, cudaMemPoolReuseAllowOpportunistic,
	cudaMemPoolReuseAllowInternalDependencies, cudaMemPoolAttrReleaseThreshold,
	cudaMemPoolAttrReservedMemCurrent, cudaMemPoolAttrReservedMemHigh,
	cudaMemPoolAttrUsedMemCurrent, cudaMemPoolAttrUsedMemHigh,
};

struct cudaMemPoolProps {
	int allocType, handleTypes;
	struct cudaMemLocation location;
	void *win32SecurityAttributes;
	size_t maxSize;
	unsigned short usage;
	unsigned char reserved[54];
};

typedef struct cudaIpcMemHandle_st {
	char reserved[64];
} cudaIpcMemHandle_t;

typedef struct cudaIpcEventHandle_st {
	char reserved[64];
} cudaIpcEventHandle_t;

struct cudaPointerAttributes {
	enum cudaMemoryType type;
	int device;
	void *devicePointer, *hostPointer;
	long reserved[8];
};

struct cudaFuncAttributes {
	size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
	int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA;
	int maxDynamicSharedSizeBytes, preferredShmemCarveout, clusterDimMustBeSet;
	int requiredClusterWidth, requiredClusterHeight, requiredClusterDepth;
	int clusterSchedulingPolicyPreference, nonPortableClusterSizeAllowed;
	int reserved[16];
};

typedef CUlaunchAttribute cudaLaunchAttribute;

typedef struct cudaLaunchConfig_st {
	dim3 gridDim, blockDim;
	size_t dynamicSmemBytes;
	cudaStream_t stream;
	cudaLaunchAttribute *attrs;
	unsigned int numAttrs;
} cudaLaunchConfig_t;

struct cudaKernelNodeParams {
	void *func;
	dim3 gridDim, blockDim;
	unsigned int sharedMemBytes;
	void **kernelParams, **extra;
};

struct cudaMemsetParams {
	void *dst;
	size_t pitch;
	unsigned int value, elementSize;
	size_t width, height;
};

struct cudaHostNodeParams {
	cudaHostFn_t fn;
	void *userData;
};

struct cudaDeviceProp {
	char name[256];
	CUuuid uuid;
	char luid[8];
	unsigned int luidDeviceNodeMask;
	size_t totalGlobalMem, sharedMemPerBlock;
	int regsPerBlock, warpSize;
	size_t memPitch;
	int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3];
	size_t totalConstMem;
	int major, minor;
	size_t textureAlignment, texturePitchAlignment;
	int multiProcessorCount, integrated, canMapHostMemory;
	int maxTexture1D, maxTexture1DMipmap, maxTexture2D[2], maxTexture2DMipmap[2];
	int maxTexture2DLinear[3], maxTexture2DGather[2], maxTexture3D[3], maxTexture3DAlt[3];
	int maxTextureCubemap, maxTexture1DLayered[2], maxTexture2DLayered[3];
	int maxTextureCubemapLayered[2], maxSurface1D, maxSurface2D[2], maxSurface3D[3];
	int maxSurface1DLayered[2], maxSurface2DLayered[3], maxSurfaceCubemap;
	int maxSurfaceCubemapLayered[2];
	size_t surfaceAlignment;
	int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver;
	int asyncEngineCount, unifiedAddressing, memoryBusWidth, l2CacheSize;
	int persistingL2CacheMaxSize, maxThreadsPerMultiProcessor, streamPrioritiesSupported;
	int globalL1CacheSupported, localL1CacheSupported;
	size_t sharedMemPerMultiprocessor;
	int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupID;
	int hostNativeAtomicSupported, pageableMemoryAccess, concurrentManagedAccess;
	int computePreemptionSupported, canUseHostPointerForRegisteredMem, cooperativeLaunch;
	size_t sharedMemPerBlockOptin;
	int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost;
	int maxBlocksPerMultiProcessor, accessPolicyMaxWindowSize;
	size_t reservedSharedMemPerBlock;
	int hostRegisterSupported, sparseCudaArraySupported, hostRegisterReadOnlySupported;
	int timelineSemaphoreInteropSupported, memoryPoolsSupported, gpuDirectRDMASupported;
	unsigned int gpuDirectRDMAFlushWritesOptions;
	int gpuDirectRDMAWritesOrdering;
	unsigned int memoryPoolSupportedHandleTypes;
	int deferredMappingCudaArraySupported, ipcEventSupported, clusterLaunch;
	int unifiedFunctionPointers, deviceNumaConfig, deviceNumaId, mpsEnabled, hostNumaId;
	unsigned int gpuPciDeviceID, gpuPciSubsystemID;
	int hostNumaMultinodeIpcSupported, reserved[56];
};

_Static_assert(sizeof(struct cudaDeviceProp) == 1008, "cudaDeviceProp");
_Static_assert(sizeof(struct cudaFuncAttributes) == 144, "cudaFuncAttributes");
_Static_assert(sizeof(struct cudaPointerAttributes) == 88, "cudaPointerAttributes");
_Static_assert(sizeof(cudaLaunchConfig_t) == 56, "cudaLaunchConfig_t");

/* What nvcc hands to __cudaRegisterFatBinary, in section .nvFatBinSegment. */
#define FATBIN_WRAPPER_MAGIC 0x466243b1
#define FATBIN_MAGIC 0xba55ed50
struct fatbin_wrapper {
	int magic, version;
	const void *data;
	void *file;
};

struct fatbin_header {			/* of the data; entries follow */
	uint32_t magic;
	uint16_t version, header_bytes;
	uint64_t bytes;			/* of all entries */
};

enum fatbin_kind { FATBIN_PTX = 1, FATBIN_ELF = 2 };
enum { FATBIN_64BIT = 1, FATBIN_HOST_LINUX = 0x10, FATBIN_LZ4 = 0x2000, FATBIN_ZSTD = 0x8000 };
struct fatbin_entry {
	uint16_t kind, version;
	uint32_t header_bytes;
	uint64_t bytes;			/* of the payload as stored */
	uint32_t compressed_bytes, options_offset;
	uint16_t minor, major;		/* of the PTX language */
	uint32_t arch, name_offset, name_bytes;
	uint64_t flags, zero, plain_bytes;
};

_Static_assert(sizeof(struct fatbin_entry) == 64, "fatbin_entry");

/* Entry points that nvcc's generated code calls. */
void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
			    int thread_limit, void *tid, void *bid, void *block, void *grid,
			    int *warp_size);
void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int ext,
		       size_t bytes, int constant, int global);
void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name,
			      int ext, size_t bytes, int constant, int global);
void __cudaRegisterHostVar(void **handle, const char *name, char *host, size_t bytes);
void *__cudaRegisterUnifiedTable(void *table);
char __cudaInitModule(void **handle);
unsigned int __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes,
					 cudaStream_t stream);
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared_bytes,
				       void *stream);
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *host);
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **args,
			       size_t shared_bytes, cudaStream_t stream);
cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3 grid, dim3 block, void **args,
				    size_t shared_bytes, cudaStream_t stream);

#include "cudart_abi_calls.h"

#endif
