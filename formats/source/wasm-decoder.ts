// Decoders of sounds that are compiled to WebAssembly. They print what is wrong with a file, which is said once, by us; and a damaged file may
// leave their memory damaged.
import { FormatError } from '../format-error.ts'

type Damaged = (cause?: unknown) => FormatError

/** Throws `damaged` where the decoder throws, or says that something is wrong. */
export function decodeQuietly<Decoded extends { errors: readonly unknown[] }>(decode: () => Decoded, damaged: Damaged): Decoded {
  const { error: print } = console
  console.error = () => {}
  try {
    const decoded = decode()
    if (decoded.errors.length > 0) throw damaged()
    return decoded
  } catch (cause) {
    throw cause instanceof FormatError ? cause : damaged(cause)
  } finally {
    console.error = print
  }
}

/** Not after a failure: its memory goes with it then. Throws `damaged` where the file left that damaged without a word. */
export function freeWhole(decoder: { free(): void }, damaged: Damaged): void {
  try {
    decoder.free()
  } catch (cause) {
    throw damaged(cause)
  }
}
