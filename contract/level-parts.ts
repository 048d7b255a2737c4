/** Parts of levels: actors and objects that the engine keeps in files of their own, beside the file of their level (World Partition, One File Per Actor). */

const externalPart = /\/__External(?:Actors|Objects)__\//i

/** Whether a package path is that of a part of a level. */
export const isLevelPart = (packageName: string): boolean => externalPart.test(packageName)

/** Where it would lie if it were no part: `/Game/Maps/L_Town/0/1A/<hash>` of `/Game/__ExternalActors__/Maps/L_Town/0/1A/<hash>`. Undefined for what is no part. */
function placeBelow(packageName: string): { mount: string; below: string } | undefined {
  const external = externalPart.exec(packageName)
  if (!external) return undefined
  return { mount: packageName.slice(0, external.index), below: packageName.slice(external.index + external[0].length) }
}

/** Whether a package path is that of a part of this level, whatever their letters. */
export function isPartOf(packageName: string, level: string): boolean {
  const place = placeBelow(packageName)
  return place !== undefined && `${place.mount}/${place.below}`.toLowerCase().startsWith(`${level.toLowerCase()}/`)
}

/**
 * The level that a part belongs to, most likely one first; empty for any other package. The engine keeps an actor of `/Game/Maps/L_Town` as
 * `/Game/__ExternalActors__/Maps/L_Town/0/1A/<hash>`.
 */
export function levelsOf(packageName: string): string[] {
  const place = placeBelow(packageName)
  if (!place || place.below === '') return []
  const parts = place.below.split('/')
  const usual = parts.length - 3
  const lengths = Array.from({ length: parts.length - 1 }, (_, i) => i + 1).sort(
    (a, b) => Math.abs(a - usual) - Math.abs(b - usual),
  )
  return lengths.map((length) => `${place.mount}/${parts.slice(0, length).join('/')}`)
}

/** What people call a part, whose file is named by a hash: its label, else its class and the last four letters of its file's name. */
export function partLabel({ path, asset_class, label }: NamedPart): string {
  return label ?? `${asset_class} …${path.slice(-4)}`
}

/** With its level: `Door_2 of L_Inn`. */
export function partWords(part: NamedPart): string {
  const [level] = levelsOf(part.path)
  return `${partLabel(part)}${level === undefined ? '' : ` of ${level.slice(level.lastIndexOf('/') + 1)}`}`
}

/** What is called by that. */
interface NamedPart {
  path: string
  asset_class: string
  label?: string | null | undefined
}

/** Where the parts of a level lie, in lower case, each ending in a slash. */
export const partFolders = (level: string): string[] =>
  ['__externalactors__', '__externalobjects__'].map(
    (folder) => `${level.toLowerCase().replace(/^\/[^/]+/, (mount) => `${mount}/${folder}`)}/`,
  )
