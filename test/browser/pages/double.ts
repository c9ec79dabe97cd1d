/** WebGPU by hand, without the library: doubles eight numbers and says which adapter did it. */
const wgsl = `
@group(0) @binding(0) var<storage, read_write> x: array<f32>;
@compute @workgroup_size(8) fn main(@builtin(local_invocation_index) i: u32) {
  x[i] = 2.0 * x[i];
}`

// whether the DOM types know WebGPU depends on the version of TypeScript
const gpu = (navigator as any).gpu
const { GPUBufferUsage, GPUMapMode } = globalThis as any

export const main = async () => {
  const adapter = await gpu.requestAdapter()
  if (adapter === null) throw new Error("no adapter")
  const device = await adapter.requestDevice()
  const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST
  const [x, back] = [
    device.createBuffer({ size: 32, usage }),
    device.createBuffer({ size: 32, usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ })
  ]
  device.queue.writeBuffer(x, 0, Float32Array.of(0, 1, -2, 3.5, 1e30, 1e-30, -0.25, 7))
  const module = device.createShaderModule({ code: wgsl })
  const pipeline = await device.createComputePipelineAsync({ layout: "auto", compute: { module } })
  const bindGroup = device.createBindGroup({
    layout: pipeline.getBindGroupLayout(0),
    entries: [{ binding: 0, resource: { buffer: x } }]
  })
  const encoder = device.createCommandEncoder()
  const pass = encoder.beginComputePass()
  pass.setPipeline(pipeline)
  pass.setBindGroup(0, bindGroup)
  pass.dispatchWorkgroups(1)
  pass.end()
  encoder.copyBufferToBuffer(x, 0, back, 0, 32)
  device.queue.submit([encoder.finish()])
  await back.mapAsync(GPUMapMode.READ)
  const doubled = new Float32Array(back.getMappedRange().slice(0))
  device.destroy()
  return { adapter: adapter.info.architecture as string, doubled, special: [NaN, Infinity, -Infinity] }
}
