/** A WebAssembly module with one function, put together byte by byte: only what the scan of vectors needs (WebAssembly core 2.0, 5.4 and 5.5). */

/** What is used of the global that the types of Node do not name. */
export interface WasmMemory {
  readonly buffer: ArrayBuffer
  grow(pages: number): number
}
export const { Memory, Module, Instance, validate } = (globalThis as unknown as { WebAssembly: Wasm }).WebAssembly
interface Wasm {
  Memory: new (limits: { initial: number; maximum: number }) => WasmMemory
  Module: new (bytes: Uint8Array<ArrayBuffer>) => object
  Instance: new (module: object, imports: { env: { memory: WasmMemory } }) => { exports: object }
  validate(bytes: Uint8Array<ArrayBuffer>): boolean
}

export const i32 = 0x7f
export const v128 = 0x7b

/** LEB128: unsigned. */
export function unsigned(value: number): number[] {
  const bytes: number[] = []
  let rest = value
  do {
    const low = rest & 0x7f
    rest >>>= 7
    bytes.push(rest === 0 ? low : low | 0x80)
  } while (rest !== 0)
  return bytes
}

/** LEB128: signed. */
export function signed(value: number): number[] {
  const bytes: number[] = []
  let rest = value
  for (;;) {
    const low = rest & 0x7f
    rest >>= 7
    const isLast = (rest === 0 && (low & 0x40) === 0) || (rest === -1 && (low & 0x40) !== 0)
    bytes.push(isLast ? low : low | 0x80)
    if (isLast) return bytes
  }
}

const simd = (code: number): number[] => [0xfd, ...unsigned(code)]

/** Instructions; each is the bytes that it takes. */
export const op = {
  block: [0x02, 0x40],
  loop: [0x03, 0x40],
  /** Leaves an i32 in both of its branches. */
  ifI32: [0x04, i32],
  else: [0x05],
  end: [0x0b],
  branch: (depth: number) => [0x0c, depth],
  branchIf: (depth: number) => [0x0d, depth],
  select: [0x1b],
  get: (local: number) => [0x20, local],
  set: (local: number) => [0x21, local],
  tee: (local: number) => [0x22, local],
  load: (offset: number) => [0x28, 2, ...unsigned(offset)],
  store: (offset: number) => [0x36, 2, ...unsigned(offset)],
  constant: (value: number) => [0x41, ...signed(value)],
  isZero: [0x45],
  isGreater: [0x4a],
  isAtLeastUnsigned: [0x4f],
  add: [0x6a],
  subtract: [0x6b],
  multiply: [0x6c],
  /** Of an i32; towards zero, back to one. */
  toFloat: [0xb2],
  truncate: [0xa8],
  loadFloat: (offset: number) => [0x2a, 2, ...unsigned(offset)],
  addFloats: [0x92],
  multiplyFloats: [0x94],
  loadVector: (offset: number) => [...simd(0x00), 0, ...unsigned(offset)],
  zeroVector: [...simd(0x0c), ...Array<number>(16).fill(0)],
  splat: simd(0x11),
  lane: (lane: number) => [...simd(0x1b), lane],
  /** Eight of sixteen 8-bit numbers, as 16-bit ones: the first, the last. */
  widenLow: simd(0x87),
  widenHigh: simd(0x88),
  addVectors: simd(0xae),
  multiplyVectors: simd(0xb5),
  /** Products of eight pairs of 16-bit numbers, added two by two to 32-bit ones. */
  dotPairs: simd(0xba),
} as const

interface WasmFunction {
  name: string
  /** Of i32; the function gives nothing back. */
  parameters: number
  /** Types of its further locals. */
  locals: readonly number[]
  body: readonly number[]
}

/** The memory is imported as `env.memory`. */
export function moduleOf({ name, parameters, locals, body }: WasmFunction): Uint8Array<ArrayBuffer> {
  const code = [...counted(locals.map((type) => [1, type])), ...body, ...op.end]
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, counted([[0x60, ...counted(Array.from({ length: parameters }, () => [i32])), 0]])),
    ...section(2, counted([[...text('env'), ...text('memory'), 0x02, 0x00, 0]])),
    ...section(3, counted([[0]])),
    ...section(7, counted([[...text(name), 0x00, 0]])),
    ...section(10, counted([[...unsigned(code.length), ...code]])),
  ])
}

const section = (id: number, bytes: readonly number[]): number[] => [id, ...unsigned(bytes.length), ...bytes]
const counted = (items: readonly number[][]): number[] => [...unsigned(items.length), ...items.flat()]
const text = (value: string): number[] => [...unsigned(value.length), ...Buffer.from(value, 'latin1')]
