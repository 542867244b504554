#!/usr/bin/env python3
"""Lines for mktrace: a run of a made-up training loop whose every number is known.

  mkrun.py [NAME=VALUE...]
    steps=10 seed=1 kernels=24 launches=8     each kernel so often a step; kernel k takes 400 us / (k + 1)
    run=0.005 call=0.03                       sd of what is common to a kernel in a run, and of each launch
    all=1 kernel=K:1.03                       factors on all kernels, on kernel K (repeatable)
    more=K:2                                  so many launches of kernel K a step more (repeatable)
    new=NAME drop=K rename=K:NAME             a kernel that is added (once a step), left out, renamed
    copy=1048576 calls=1 faults=0             bytes of the copy of a step, its calls of cudaMemcpyAsync, UVM faults
    extra=0                                   launches of kernel 0 in front of the first step
    bimodal=K:0.5 tail=K:0.02                 a share of kernel K's launches takes 1.4x; of kernel K's 20x
    names=1 gpu=NAME lost=0 step=NAME         annotate steps or not; name of the GPU; records lost; name of steps
    paths=0 grid=K:N gap=20000                stacks for kernels 0 (two call sites); another grid of K; idle ns
"""
import random
import sys

opt = dict(steps=10, seed=1, kernels=24, launches=8, run=0.005, call=0.03, all=1.0, copy=1048576, calls=1, faults=0,
           extra=0, names=1, gpu="Test GPU", lost=0, step="ProfilerStep#", paths=0, gap=20000, new=None, drop=None)
many = dict(kernel={}, more={}, bimodal={}, tail={}, grid={}, rename={})
for word in sys.argv[1:]:
    key, value = word.split("=", 1)
    if key in many:
        k, v = value.split(":")
        many[key][int(k)] = v if key == "rename" else float(v)
    elif key in ("gpu", "step", "new"):
        opt[key] = value
    else:
        opt[key] = type(opt[key] or 0)(float(value)) if key != "drop" else int(value)

o = type("O", (), opt)
rnd = random.Random(o.seed)
kernels = [k for k in range(o.kernels) if k != o.drop]
common = {k: rnd.gauss(0, o.run) for k in range(o.kernels)}
out = []
put = out.append
put(f'device producer=1 pid=7 ordinal=0 uuid=000102030405060708090a0b0c0d0e0f name="{o.gpu}"')
put('name producer=1 id=1 what=api text=cudaLaunchKernel')
put('name producer=1 id=2 what=api text=cudaMemcpyAsync')
for k in range(o.kernels):
    put(f'name producer=1 id={10 + k} what=kernel text={many["rename"].get(k, f"kernel{k}")}')
put(f'name producer=1 id=500 what=kernel text={o.new or "none"}')
for i in range(o.steps):
    put(f'name producer=1 id={1000 + i} what=span text="{o.step}{i}"')
if o.paths:
    put('map id=1 text=/usr/bin/trainer')
    for i, s in enumerate(("forward", "backward", "train")):
        put(f'symbol frame={hex(0x1000000001000 + i)} text={s}')
    put('stack id=1 user_frames=2 frames=0x1000000001000,0x1000000001002')
    put('stack id=2 user_frames=2 frames=0x1000000001001,0x1000000001002')
now, cpu, correlation = 1000000, 1000000, 0


def launch(name, ns, k=0, stack=0):
    global now, cpu, correlation
    correlation += 1
    dur = int(4000 * (1 + 0.1 * rnd.random()))
    put(f'api ts={cpu} producer=1 pid=7 tid=7 dur_ns={dur} correlation={correlation} name=1 class=launch')
    if stack:
        put(f'api_stack ts={cpu} pid=7 tid=7 process=1 correlation={correlation} stack={stack}')
    cpu += dur + 1000
    start = max(now, cpu)
    grid = int(many["grid"].get(k, 128))
    put(f'kernel ts={start} producer=1 pid=7 dur_ns={ns} correlation={correlation} name={name} stream=7 '
        f'grid={grid},1,1 block=256,1,1')
    now = start + ns


def duration(k):
    x = 400000 / (k + 1) * o.all * many["kernel"].get(k, 1)
    x *= 1 + common[k] + rnd.gauss(0, o.call)
    if rnd.random() < many["bimodal"].get(k, 0):
        x *= 1.4
    if rnd.random() < many["tail"].get(k, 0):
        x *= 20 * rnd.random()
    return max(int(x), 100)


for _ in range(o.extra):
    launch(10, duration(0))
for step in range(o.steps):
    begin = cpu = now = max(cpu, now) + o.gap
    for c in range(o.calls):
        correlation += 1
        put(f'api ts={cpu} producer=1 pid=7 tid=7 dur_ns=2000 correlation={correlation} name=2 class=copy')
        cpu += 3000
        now = max(now, cpu)
        put(f'copy ts={now} producer=1 pid=7 dur_ns={50000 // o.calls} correlation={correlation} stream=7 '
            f'bytes={o.copy // o.calls} copy_kind=HtoD src_kind=pinned dst_kind=device')
        now += 50000 // o.calls
    for f in range(o.faults):
        put(f'uvm_fault ts={cpu} pid=7 tid=7 addr={hex(0x200000 + 4096 * f)} gpu=1 instances=1 access=read '
            f'type=invalid_pte')
    for k in kernels:
        for i in range(o.launches + int(many["more"].get(k, 0))):
            launch(10 + k, duration(k), k, o.paths and 1 + i % 2 if k == 0 else 0)
    if o.new:
        launch(500, 30000)
    now = cpu = max(cpu, now)
    if o.names:
        put(f'span ts={begin} producer=1 pid=7 tid=7 dur_ns={now - begin} name={1000 + step} what=annotation '
            f'device=0xffffffff stream=0xffffffff')
if o.lost:
    put(f'lost count={o.lost} where=bpf_ring')
print("\n".join(out))
