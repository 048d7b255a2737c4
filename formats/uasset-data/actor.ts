/** How people know an external actor of a level: by its label in the outliner, or by its class. */
import { inKnownLayout } from '../uasset/header.ts'
import { openPackage } from './package.ts'
import { readObjectProperties } from './properties.ts'

export interface ActorFacts {
  /** As the outliner shows it; null where the package keeps none, as actors that nobody renamed in a cooked or very old level do. */
  label: string | null
  /** Without its module: `StaticMeshActor`, `BP_Door_C`. */
  class: string
}

/** Labels of actors, and of the folders of the outliner, which are packages of their own. */
const labelProperties = ['ActorLabel', 'FolderLabel']
/** Actors are small; what is larger is not looked into, in bytes. */
export const largestActor = 4 * 1024 * 1024
/** The outliner takes no longer ones. */
const maxLabel = 256

/**
 * The facts of a package below `__ExternalActors__` or `__ExternalObjects__`; undefined where it holds no object. `bytes` is the whole file
 * and `stem` its name without extension. Source: the property tags of real saves of the engines 5.0 to 5.7. Throws FormatError, as
 * `readSource` does.
 */
export function readActor(bytes: Uint8Array, { stem }: { stem: string }): ActorFacts | undefined {
  const opened = openPackage(bytes)
  const index = opened.exports.mainAssetIndex(stem)
  if (index === undefined) return undefined
  try {
    const properties = readObjectProperties(opened.object(index))
    const label = labelProperties.map((name) => properties.text(name)).find((text) => text !== undefined && text !== '')
    return { label: label === undefined ? null : label.slice(0, maxLabel), class: opened.className(index) }
  } catch (error) {
    throw inKnownLayout(opened.summary, error)
  }
}
