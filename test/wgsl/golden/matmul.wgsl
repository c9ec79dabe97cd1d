@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read> b: array<u32>;
@group(0) @binding(2) var<storage, read_write> c: array<u32>;
@group(0) @binding(3) var<uniform> ek_params: EkParams;

@compute @workgroup_size(64)
fn main(
  @builtin(local_invocation_index) local_index: u32,
  @builtin(workgroup_id) workgroup_id: vec3u,
  @builtin(num_workgroups) num_workgroups: vec3u
) {
  let group = workgroup_id.x + num_workgroups.x * (workgroup_id.y + num_workgroups.y * workgroup_id.z);
  let id = ek_params.base + group;
  if (id >= ek_params.count) { return; }
  let program = i32(id);
  let lane = i32(local_index);
  var sum: array<f32, 4>;
  var t15: array<f32, 4>;
  for (var turn: i32 = 0; turn < 4; turn++) {
    // %1 = eq %0, 0
    let v1 = turn == 0i;
    // cond %1
    let u = v1;
    if (u) {
      // store sum, 0
      for (var slot = 0; slot < 4; slot++) {
        let el = slot * 64 + lane;
        sum[slot] = 0f;
      }
    }
    // %2 = mul %0, 16
    let v2 = turn * 16i;
    // %7 = programId
    let v7 = program / 2;
    // %13 = programId
    let v13 = program % 2;
    // %15 = dot %8, %14
    for (var slot = 0; slot < 4; slot++) {
      let el = slot * 64 + lane;
      var acc: f32 = 0f;
      for (var k: i32 = 0; k < 16; k++) {
        let i = (v7 * 16) + (el / 16);
        let v4 = k + v2;
        let v5 = v4 < 50i;
        let v8 = select(0f, select(0f, bitcast<f32>(a[(i * 50) + ((turn * 16) + k)]), (u32(i) < 40u) && (u32((turn * 16) + k) < 50u)), v5);
        let i_1 = (v13 * 16) + (el % 16);
        let v10 = k + v2;
        let v11 = v10 < 50i;
        let v14 = select(0f, select(0f, bitcast<f32>(b[(((turn * 16) + k) * 24) + i_1]), (u32((turn * 16) + k) < 50u) && (u32(i_1) < 24u)), v11);
        acc = acc + (v8 * v14);
      }
      t15[slot] = acc;
    }
    // accumulate sum, %15
    for (var slot = 0; slot < 4; slot++) {
      let el = slot * 64 + lane;
      sum[slot] = sum[slot] + t15[slot];
    }
    // %17 = sub 4, 1
    let v17 = bitcast<i32>(0x4u ^ ek_params.zero) - bitcast<i32>(0x1u ^ ek_params.zero);
    // %18 = eq %0, %17
    let v18 = turn == v17;
    // cond %18
    let u_1 = v18;
    if (u_1) {
      // %16 = load sum
      for (var slot = 0; slot < 4; slot++) {
        let el = slot * 64 + lane;
        let v16 = sum[slot];
        t15[slot] = v16;
      }
      // store c, %16
      for (var slot = 0; slot < 4; slot++) {
        let el = slot * 64 + lane;
        let i_2 = (v7 * 16) + (el / 16);
        let i_3 = (v13 * 16) + (el % 16);
        if ((u32(i_2) < 40u) && (u32(i_3) < 24u)) {
          c[(i_2 * 24) + i_3] = bitcast<u32>(t15[slot]);
        }
      }
    }
  }
}
