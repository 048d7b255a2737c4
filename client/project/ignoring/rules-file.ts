/** The file `.phignore` of a folder, read within bounds: a list that is too long is named, never passed over. */
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { ClientError, systemCode } from '../../client-error.ts'
import { IgnoreList } from './ignore-list.ts'
import { readRules } from './ignore-rule.ts'

/** The name of a file with rules, in gitignore syntax, for the folder it lies in and everything below. */
export const rulesFile = '.phignore'

/** What people write is a hundred times shorter. `characters`: of one rule; `placesOnTheWay`: of all lists that speak of one path. */
const most = { bytes: 64 * 1024, rules: 1000, characters: 1000, placesOnTheWay: 128 * 1024 }

/** Undefined where there is no such file. Throws ClientError `RULES_TOO_LARGE`, and what the system says. */
export function listIn(folder: string): IgnoreList | undefined {
  const path = join(folder, rulesFile)
  const text = textOf(path)
  if (text === undefined) return undefined
  const rules = readRules(text)
  if (rules.length > most.rules) throw tooLarge(`${path} holds ${rules.length} rules, and at most ${most.rules} are read.`)
  const long = rules.find((rule) => rule.text.length > most.characters)
  if (long)
    throw tooLarge(`Line ${long.line} of ${path} has ${long.text.length} characters, and a rule has at most ${most.characters}.`)
  return new IgnoreList(rules)
}

/** Lists in folders within each other cost together. */
export function requireFewPlaces(folder: string, lists: readonly IgnoreList[]): void {
  const places = lists.reduce((sum, { size }) => sum + size, 0)
  if (places > most.placesOnTheWay)
    throw tooLarge(
      `The rules of ${join(folder, rulesFile)} and of the folders above it have more than ${most.placesOnTheWay} characters together.`,
    )
}

function textOf(path: string): string | undefined {
  try {
    const stats = statSync(path)
    if (!stats.isFile()) return undefined
    if (stats.size > most.bytes) throw tooLarge(`${path} has ${stats.size} bytes, and at most ${most.bytes} are read.`)
    return readFileSync(path, 'utf8')
  } catch (error) {
    const code = systemCode(error)
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw error
  }
}

const tooLarge = (message: string): ClientError => new ClientError('RULES_TOO_LARGE', message)
