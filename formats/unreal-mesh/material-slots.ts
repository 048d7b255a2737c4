// Which material slot of its asset a part of a mesh is for.
import type { MeshSlot } from '../source/mesh.ts'

/** A slot of the asset. `importedName` is what the imported file called it; parts of the mesh name their slot by that. */
export type MaterialSlot = { name: string | null; importedName: string | null; material: string | null }

/** What a part of a mesh says of its slot: a name, or only a number. */
export type SlotReference = { name: string | null; index: number }

/** Finds the slot that is meant: by its imported name, by its name, else by its number, as the engine decides it. */
export function slotFinder(slots: readonly MaterialSlot[]): (reference: SlotReference) => MeshSlot {
  const byName = new Map<string, MaterialSlot>()
  for (const key of ['importedName', 'name'] as const) {
    for (const slot of slots) {
      const name = nameOrNull(slot[key])?.toLowerCase()
      if (name !== undefined && !byName.has(name)) byName.set(name, slot)
    }
  }
  return (reference) => {
    const name = nameOrNull(reference.name)
    const slot = (name === null ? undefined : byName.get(name.toLowerCase())) ?? slots[reference.index]
    return { name: nameOrNull(slot?.name ?? null) ?? name ?? `MaterialSlot_${reference.index}`, material: slot?.material ?? null }
  }
}

/** A name that the file leaves empty is `None`. */
function nameOrNull(name: string | null): string | null {
  return name === null || name === '' || name === 'None' ? null : name
}
