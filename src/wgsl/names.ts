/** Names in WGSL text: those of the kernel where WGSL allows them, each once. */

/** Keywords and reserved words: WGSL refuses them as names. */
const keywords = new Set(
  `
alias break case const const_assert continue continuing default diagnostic discard else enable false fn for if let loop
override requires return struct switch true var while
NULL Self abstract active alignas alignof as asm asm_fragment async attribute auto await become cast catch class co_await
co_return co_yield coherent column_major common compile compile_fragment concept const_cast consteval constexpr constinit
crate debugger decltype delete demote demote_to_helper do dynamic_cast enum explicit export extends extern external
fallthrough filter final finally friend from fxgroup get goto groupshared highp impl implements import inline instanceof
interface layout lowp macro macro_rules match mediump meta mod module move mut mutable namespace new nil noexcept noinline
nointerpolation non_coherent noncoherent noperspective null nullptr of operator package packoffset partition pass patch
pixelfragment precise precision premerge priv protected pub public readonly ref regardless register reinterpret_cast require
resource restrict self set shared sizeof smooth snorm static static_assert static_cast std subroutine super target template
this thread_local throw trait try type typedef typeid typename typeof union unless unorm unsafe unsized use using varying
virtual volatile wgsl where with writeonly yield`.split(/\s+/)
)
/** Names of WGSL, and of what every module declares: hidden by a declaration of the same name. */
const predeclared = `
bool f16 f32 i32 u32 array atomic ptr vec2 vec3 vec4 vec2u vec3u vec4u vec2f vec3f vec4f vec2i vec3i vec4i mat2x2 mat2x3
mat2x4 mat3x2 mat3x3 mat3x4 mat4x2 mat4x3 mat4x4 sampler
bitcast all any select abs acos acosh asin asinh atan atan2 atanh ceil clamp cos cosh countLeadingZeros countOneBits
countTrailingZeros cross degrees distance dot exp exp2 extractBits faceForward firstLeadingBit firstTrailingBit floor fma
fract frexp insertBits inverseSqrt ldexp length log log2 max min mix modf normalize pow quantizeToF16 radians reflect
refract reverseBits round saturate sign sin sinh smoothstep sqrt step tan tanh transpose trunc arrayLength atomicLoad
atomicStore atomicAdd atomicSub atomicMax atomicMin atomicAnd atomicOr atomicXor atomicExchange
atomicCompareExchangeWeak workgroupBarrier storageBarrier workgroupUniformLoad pack2x16float unpack2x16float
subgroupAdd subgroupMul subgroupMax subgroupMin subgroupAnd subgroupOr subgroupXor subgroupAll subgroupAny
subgroupInclusiveAdd subgroupExclusiveAdd subgroupInclusiveMul subgroupExclusiveMul subgroupShuffle subgroupBallot
subgroupBroadcast main lane lanes program el slot group id local_index workgroup_id num_workgroups subgroup_size subgroup_lane EkParams value compared index old exchange shift bits
`
const reserved: ReadonlySet<string> = new Set([...keywords, ...predeclared.split(/\s+/)])

/** Whether WGSL takes it as a name. */
export const isName = (name: string): boolean =>
  /^(?:[A-Za-z]\w*|_\w+)$/.test(name) && !name.startsWith("__") && !keywords.has(name)

/** Only characters that WGSL allows in names. */
export const plainName = (hint: string): string => hint.replace(/[^A-Za-z0-9_]/g, "_").replace(/^_+/, "")
/** The nearest name that WGSL allows. */
const allowed = (hint: string): string => {
  const plain = plainName(hint)
  const named = /^[A-Za-z]/.test(plain) ? plain : `r_${plain}`
  return reserved.has(named) || named.startsWith("ek_") ? `${named}_` : named
}

/** Hands out names that it has not handed out before. */
export class Namer {
  private readonly taken = new Map<string, number>()
  fresh(hint: string): string {
    const base = allowed(hint)
    let n = this.taken.get(base)
    if (n === undefined) {
      this.taken.set(base, 0)
      return base
    }
    let name: string
    do name = `${base}_${++n}`
    while (this.taken.has(name))
    this.taken.set(base, n)
    this.taken.set(name, 0)
    return name
  }
}
