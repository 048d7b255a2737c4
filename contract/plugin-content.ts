/** Content of plugins among the files of a pull: it belongs below the Content folder of its plugin, not under /Game (contract-gaps 9). */
import { Type } from 'typebox'
import { Id, nullable } from './shapes.ts'
import { placelessName } from './version-facts.ts'

/** `/Plugin/Folder/Name`: what a member of a plugin can be called, so that a project can have it. */
export const pluginPath = /^(\/[A-Za-z0-9_-]+){2,}$/

/** A member of a plugin has no `origin_path`, and these. */
export const pluginMember = {
  /** What its plugin is called in package names, for example `/Tools`: it lands in the Content folder of that plugin. */
  mount: Type.Optional(Type.String()),
  /** Its long package name, for example `/Tools/Props/SM_Hinge`. */
  package_name: placelessName,
  /** The entry that a project without the plugin downloads it by; null where it has none. */
  entry_id: Type.Optional(nullable(Id)),
}

/** Where a pull brings a version to: its place under /Game, or that of content of a plugin. Null where it has neither. */
export function pulledTo({
  origin_path,
  package_name,
}: {
  origin_path?: string | null
  package_name?: string | null | undefined
}): string | null {
  if (origin_path != null) return origin_path
  return package_name != null && pluginPath.test(package_name) && !/^\/game\//i.test(package_name) ? package_name : null
}

/** `/Tools` of `/Tools/Props/SM_Hinge`. */
export const mountOf = (packageName: string): string => packageName.slice(0, packageName.indexOf('/', 1))
