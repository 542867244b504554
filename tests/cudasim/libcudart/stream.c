// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Streams, events and host functions by the driver's calls of the same meaning. */
#include "runtime.h"

RT_API(cudaStreamCreate, 3020, (cudaStream_t *stream), (stream),
       rt_error(cuStreamCreate(stream, 0)))
RT_API(cudaStreamCreateWithFlags, 5000, (cudaStream_t *stream, unsigned int flags),
       (stream, flags), rt_error(cuStreamCreate(stream, flags)))
RT_API(cudaStreamCreateWithPriority, 5050,
       (cudaStream_t *stream, unsigned int flags, int priority), (stream, flags, priority),
       rt_error(cuStreamCreateWithPriority(stream, flags, priority)))
RT_API(cudaStreamDestroy, 5050, (cudaStream_t stream), (stream),
       rt_error(cuStreamDestroy_v2(stream)))
RT_STREAM_API(cudaStreamSynchronize, 3020, 7000, (cudaStream_t stream), (stream),
	      ON_STREAM(cuStreamSynchronize, stream))
RT_STREAM_API(cudaStreamQuery, 3020, 7000, (cudaStream_t stream), (stream),
	      ON_STREAM(cuStreamQuery, stream))
RT_STREAM_API(cudaStreamWaitEvent, 3020, 7000,
	      (cudaStream_t stream, cudaEvent_t event, unsigned int flags),
	      (stream, event, flags), ON_STREAM(cuStreamWaitEvent, stream, event, flags))
RT_STREAM_API(cudaStreamGetFlags, 5050, 7000, (cudaStream_t stream, unsigned int *flags),
	      (stream, flags), ON_STREAM(cuStreamGetFlags, stream, flags))
RT_STREAM_API(cudaStreamGetPriority, 5050, 7000, (cudaStream_t stream, int *priority),
	      (stream, priority), ON_STREAM(cuStreamGetPriority, stream, priority))
RT_STREAM_API(cudaStreamGetId, 12000, 12000, (cudaStream_t stream, unsigned long long *id),
	      (stream, id), ON_STREAM(cuStreamGetId, stream, id))
RT_STREAM_API(cudaLaunchHostFunc, 10000, 10000,
	      (cudaStream_t stream, cudaHostFn_t function, void *data),
	      (stream, function, data), ON_STREAM(cuLaunchHostFunc, stream, function, data))
RT_STREAM_API(cudaStreamAddCallback, 5000, 7000,
	      (cudaStream_t stream, cudaStreamCallback_t callback, void *data,
	       unsigned int flags), (stream, callback, data, flags),
	      ON_STREAM(cuStreamAddCallback, stream, (CUstreamCallback)callback, data, flags))
RT_STREAM_API(cudaStreamBeginCapture, 10000, 10000,
	      (cudaStream_t stream, enum cudaStreamCaptureMode mode), (stream, mode),
	      ON_STREAM(cuStreamBeginCapture_v2, stream, (CUstreamCaptureMode)mode))
RT_STREAM_API(cudaStreamEndCapture, 10000, 10000, (cudaStream_t stream, cudaGraph_t *graph),
	      (stream, graph), ON_STREAM(cuStreamEndCapture, stream, graph))
RT_STREAM_API(cudaStreamIsCapturing, 10000, 10000,
	      (cudaStream_t stream, enum cudaStreamCaptureStatus *status), (stream, status),
	      ON_STREAM(cuStreamIsCapturing, stream, (CUstreamCaptureStatus *)status))
RT_STREAM_API(cudaStreamGetCaptureInfo, 12030, 12030,
	      (cudaStream_t stream, enum cudaStreamCaptureStatus *status,
	       unsigned long long *id, cudaGraph_t *graph, const cudaGraphNode_t **needs,
	       const CUgraphEdgeData **edges, size_t *count),
	      (stream, status, id, graph, needs, edges, count),
	      ON_STREAM(cuStreamGetCaptureInfo_v3, stream, (CUstreamCaptureStatus *)status,
			(uint64_t *)id, graph, needs, edges, count))
RT_API(cudaThreadExchangeStreamCaptureMode, 10010, (enum cudaStreamCaptureMode *mode), (mode),
       rt_error(cuThreadExchangeStreamCaptureMode((CUstreamCaptureMode *)mode)))

RT_API(cudaEventCreate, 3020, (cudaEvent_t *event), (event), rt_error(cuEventCreate(event, 0)))
RT_API(cudaEventCreateWithFlags, 3020, (cudaEvent_t *event, unsigned int flags), (event, flags),
       rt_error(cuEventCreate(event, flags)))
RT_STREAM_API(cudaEventRecord, 3020, 7000, (cudaEvent_t event, cudaStream_t stream),
	      (event, stream), ON_STREAM(cuEventRecord, event, stream))
RT_STREAM_API(cudaEventRecordWithFlags, 11010, 11010,
	      (cudaEvent_t event, cudaStream_t stream, unsigned int flags),
	      (event, stream, flags), ON_STREAM(cuEventRecordWithFlags, event, stream, flags))
RT_API(cudaEventQuery, 3020, (cudaEvent_t event), (event), rt_error(cuEventQuery(event)))
RT_API(cudaEventSynchronize, 3020, (cudaEvent_t event), (event),
       rt_error(cuEventSynchronize(event)))
RT_API(cudaEventDestroy, 3020, (cudaEvent_t event), (event), rt_error(cuEventDestroy_v2(event)))
RT_API(cudaEventElapsedTime, 12080, (float *ms, cudaEvent_t start, cudaEvent_t end),
       (ms, start, end), rt_error(cuEventElapsedTime_v2(ms, start, end)))
