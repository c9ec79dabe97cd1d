/** What kernels of other systems have and these have not, and why: the gaps of the whole API. */
export const absent: ReadonlyArray<{ readonly feature: string; readonly reason: string }> = [
  {
    feature: "clusters and distributed shared memory",
    reason:
      "WebGPU has no memory between that of a workgroup and that of the device, and cannot place workgroups together"
  },
  {
    feature: "tensor memory",
    reason: "WebGPU gives no access to it; accumulators of matrix products lie in registers or in workgroup memory"
  },
  {
    feature: "multicast copies",
    reason: "they write the memory of several workgroups at once, which WebGPU keeps apart"
  },
  {
    feature: "remote copies",
    reason: "a WebGPU device knows no other device"
  }
]
