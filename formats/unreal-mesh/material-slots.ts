// Which material slot of its asset a part of a mesh is for.
import type { MeshSlot } from '../source/mesh.ts'

/** A slot of the asset. `importedName` is what the imported file called it; parts of the mesh name their slot by that. */
export type MaterialSlot = { name: string | null; importedName: string | null; material: string | null }

/** What a part of a mesh says of its slot: a name, or only a number. */
export type SlotReference = { name: string | null; index: number }

/** The slot that is meant: by its imported name, by its name, else by its number, as the engine decides it. */
export function findSlot(reference: SlotReference, slots: readonly MaterialSlot[]): MeshSlot {
  const name = nameOrNull(reference.name)
  const key = name?.toLowerCase()
  const byName =
    key === undefined
      ? undefined
      : (slots.find((slot) => slot.importedName?.toLowerCase() === key) ?? slots.find((slot) => slot.name?.toLowerCase() === key))
  const slot = byName ?? slots[reference.index]
  return { name: slot?.name ?? name ?? `MaterialSlot_${reference.index}`, material: slot?.material ?? null }
}

/** A name that the file leaves empty is `None`. */
export function nameOrNull(name: string | null): string | null {
  return name === null || name === '' || name === 'None' ? null : name
}
