// The custom versions of an Unreal package: how each engine part wrote its data, told apart by guid.
import { FormatError } from '../format-error.ts'
import type { PackageReader } from './reader.ts'

/** Parts of the engine whose versions decide how source data are laid out. */
export const customVersion = {
  editor: 'E4B068EDF49442E9A231DA0B2E46BB41',
  rendering: '12F88B9F88754AFCA67CD90C383ABD29',
  enterprise: '9DFFBCD6494F0158E22112823C92A888',
  release: '9C54D522A8264FBE9421074661B482D0',
  main: '697DD581E64F41ABAA4A51ECBEB7B628',
  ue5Release: 'D89B5E4224BD4D468412ACA8DF641779',
  framework: 'CFFC743F43B04480939114DF171D2073',
  fortnite: '601D1886AC644F84AA16D3DE0DEAC7D6',
  skeletalMesh: 'D78A4A00E8584697BAA819B5487D46B4',
  recomputeTangent: '5579F886933A4C1F83BA087B6361B92F',
  overlappingVertices: '612FBE52DA53400B910D4F919FB1857C',
  animObject: 'AF43A65D7FD3494798733E8ED9C1BB05',
  core: '375EC13C06E448FBB50084F0262A717E',
} as const

/** By guid, in the engine's form: 32 upper-case hex digits. */
export type CustomVersions = ReadonlyMap<string, number>

/** Ten times what the largest of real packages have. */
const maxCustomVersions = 4096

/** The version of a part, by a guid of `customVersion`; -1 when the package does not name it. */
export function customVersionOf({ customVersions }: { customVersions: CustomVersions }, guid: string): number {
  return customVersions.get(guid) ?? -1
}

/** Reads the list, whose form depends on the legacy file version. The oldest form has no guids: then none are known. */
export function readCustomVersions(reader: PackageReader, legacy: number): CustomVersions {
  const numbered = legacy === -2
  const count = reader.count('custom versions', numbered ? 8 : 20)
  if (count > maxCustomVersions)
    throw new FormatError('too-large', `This package has ${count} custom versions, more than this reader accepts.`)
  const versions = new Map<string, number>()
  if (numbered) reader.skip(8 * count)
  for (let left = numbered ? 0 : count; left > 0; left--) {
    const guid = reader.guid()
    const version = reader.i32()
    if (legacy > -6) reader.skipString()
    if (guid !== null) versions.set(guid, version)
  }
  return versions
}
