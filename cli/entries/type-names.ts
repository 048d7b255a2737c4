/** Types of entries as people write them: `mesh`, `source mesh` as lists show it, `source_mesh` as programs read it. */
import type { Api } from '../../client/http/api.ts'
import { entryTypes } from '../../formats/entry-types.ts'
import { printable } from '../../system/printable.ts'
import { wrongUsage } from '../refusal.ts'
import { nearNames } from './near-names.ts'

export const typeWords = (type: string): string => type.replaceAll('_', ' ')

/** What people call the classes that the library gives to files that are no packages. */
const sourceClasses: Record<string, string> = {
  SourceMesh: 'source mesh',
  SourceTexture: 'source texture',
  SourceAudio: 'source audio',
  SourceFile: 'plain file',
  SourceCompanion: 'goes along with a model',
  Unknown: 'of unknown class',
}

/** The class of an asset in words: Unreal's own name, or what a source file is. */
export const className = (assetClass: string): string => sourceClasses[assetClass] ?? assetClass

const folded = (word: string): string =>
  word
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_')

/** The types as the library calls them. One that `ph` does not give may still be there; one that is nowhere is a wrong word. */
export async function requireTypes(api: Api, given: readonly string[]): Promise<string[]> {
  const isOurs = (word: string) => entryTypes.includes(folded(word))
  if (given.every(isOurs)) return given.map(folded)
  const { types } = await api.entries.facets({ include_deprecated: true })
  const there = types.map(({ value }) => value)
  return given.map((word) => {
    const type = there.find((one) => folded(one) === folded(word)) ?? (isOurs(word) ? folded(word) : undefined)
    if (type === undefined) throw unknownType(word, there.length > 0 ? there : entryTypes)
    return type
  })
}

function unknownType(word: string, types: readonly string[]) {
  const names = types.map(typeWords)
  const near = nearNames(word, names).map(printable)
  const meant = near.length > 0 ? `Did you mean ${near.join(' or ')}? ` : ''
  return wrongUsage(`There is no type "${word}".`, `${meant}There are ${names.map(printable).join(', ')}.`)
}
