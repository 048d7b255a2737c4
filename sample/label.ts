// What an actor's package keeps for the outliner: its label, as the first of the actor's properties.
import type { EngineRelease } from './engine-release.ts'
import { PackageBytes } from './package-bytes.ts'

/** Names that the label is written with; they stand behind the first two of the package's table, so that their indices are known before it is written. */
export const labelNames = ['ActorLabel', 'StrProperty']
const [none, actorLabel, strProperty] = [0, 2, 3]

/** Object data that begins with the property; null: an actor that nobody named has no such property. */
export function labelled(
  payload: Buffer,
  { label, release: { ue5Version: v5 }, bigEndian }: { label: string | null; release: EngineRelease; bigEndian: boolean },
): Buffer {
  const out = new PackageBytes(bigEndian)
  // How the object was serialized: nothing out of the ordinary.
  if (v5 >= 1011) out.raw(Buffer.alloc(1))
  if (label !== null) addTag(out, { value: new PackageBytes(bigEndian).string(label).toBuffer(), v5 })
  return out.i32(none, 0).i32(0).raw(payload).toBuffer()
}

function addTag(out: PackageBytes, { value, v5 }: { value: Buffer; v5: number }): void {
  out.i32(actorLabel, 0, strProperty, 0)
  if (v5 >= 1012) out.i32(0, value.length).raw(Buffer.alloc(1))
  else out.i32(value.length, 0).raw(Buffer.alloc(v5 >= 1011 ? 2 : 1))
  out.raw(value)
}
