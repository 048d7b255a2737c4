/**
 * What the scripts of shells run at each Tab, `ph __complete -- <words>`: a way of its own, that loads little (bin/ph.mjs). Names come from
 * the mirror of this machine, else from the server, which is asked for a moment only.
 */
import { createRequire } from 'node:module'
import { findFolders, mirrorFolder } from '../../../client/folders.ts'
import { MirrorFiles } from '../../../client/mirror/mirror-files.ts'
import { expandBefore, shellMark } from '../../../client/settings/aliases.ts'
import { applySettings } from '../../../client/settings/effective.ts'
import { aliasesFile, readKept, settingsFile } from '../../../client/settings/kept.ts'
import { settings } from '../../../client/settings/known.ts'
import { waitMsOf } from '../../../client/settings/seconds.ts'
import { findAddress, findConnection, readProfiles } from '../../../client/sign-in/profile.ts'
import { type Answer, answer, type Kind } from './answer.ts'
import { table } from './table.ts'

type Environment = Record<string, string | undefined>

/** Longer lists help nobody who presses Tab. */
const mostNames = 60
/** A person waits for Tab no longer, if `PH_COMPLETION_WAIT` does not say so. */
const usualWaitMs = 400

/** What PowerShell hands over for an empty word, which it cannot. */
const nothingYet = '--ph-nothing-yet'

/** A line for each candidate, with what it means behind a tab; `:files` as the last where the shell is to add files. */
export async function complete(words: readonly string[], env: Record<string, string | undefined>): Promise<string> {
  const typed = words.map((word) => (word === nothingYet ? '' : word))
  const { candidates, files } = await answerOrAlias(typed, env)
  const lines = candidates.map(({ text, summary }) => (summary === '' ? text : `${text}\t${summary}`))
  return [...lines, ...(files ? [':files'] : [])].map((line) => `${line}\n`).join('')
}

/** An alias is completed as what it stands for; its own name stands among the commands. */
async function answerOrAlias(typed: readonly string[], env: Environment): Promise<Answer> {
  const names = (kind: Kind, prefix: string) => liveNames(env, kind, prefix)
  const [first = '', ...rest] = typed
  if (typed.length === 1) {
    const { candidates, files } = await answer(table, typed, names)
    const own = Object.entries(aliasesOf(env)).filter(([name]) => name.startsWith(first))
    return { files, candidates: [...candidates, ...own.map(([text, line]) => ({ text, summary: line }))] }
  }
  const text = isCommand(first) ? undefined : aliasesOf(env)[first]
  if (text === undefined) return answer(table, typed, names)
  if (text.startsWith(shellMark)) return { candidates: [], files: true }
  return answer(table, [...expandBefore(text, rest.slice(0, -1)), rest.at(-1) ?? ''], names)
}

const isCommand = (word: string): boolean => Object.keys(table.words).some((known) => known.split(' ')[0] === word)

/** None where the file cannot be read. */
function aliasesOf(env: Environment): Record<string, string> {
  try {
    const own = Object.entries(readKept(aliasesFile(findFolders(env))))
    return Object.fromEntries(own.flatMap(([name, text]) => (typeof text === 'string' && !isCommand(name) ? [[name, text]] : [])))
  } catch {
    return {}
  }
}

/** Nothing where there is nothing to ask, or no answer in time: a Tab tells no errors. */
async function liveNames(own: Environment, kind: Kind, prefix: string): Promise<string[]> {
  try {
    if (kind === 'setting') return settings.map(({ name }) => name)
    if (kind === 'alias') return Object.keys(aliasesOf(own))
    const { env } = applySettings(settingsFile(findFolders(own)), own)
    if (kind === 'profile') return Object.keys((await readProfiles(findFolders(env))).profiles)
    return (await fromMirror(env, kind, prefix)) ?? (await fromServer(env, kind, prefix))
  } catch {
    return []
  }
}

const waitMs = (env: Environment): number => waitMsOf(env.PH_COMPLETION_WAIT, usualWaitMs)

/** By kind: names that begin with the parameters, the second of which ends them. */
const queries: Partial<Record<Kind, string>> = {
  prop: `select distinct summary ->> '$.name' from entries join records using (id)
    where name_key >= ? and name_key < ? and is_deprecated = 0 order by name_key limit ${mostNames}`,
  pack: `select record ->> '$.name' as name from packs where lower(name) >= ? and lower(name) < ? limit ${mostNames}`,
  tag: `select name from tags where lower(name) >= ? and lower(name) < ? limit ${mostNames}`,
  collection: `select record ->> '$.name' as name from collections where lower(name) >= ? and lower(name) < ? limit ${mostNames}`,
}

async function fromMirror(env: Environment, kind: Kind, prefix: string): Promise<string[] | undefined> {
  const query = queries[kind]
  if (query === undefined) return undefined
  const folders = findFolders(env)
  const files = new MirrorFiles(
    mirrorFolder(folders, await findAddress(folders, { url: env.PH_URL, profile: undefined, key: undefined })),
  )
  const newest = files.newest()
  if (newest === undefined) return undefined
  // Required, not imported: a Tab without a mirror loads no SQLite.
  const Database = createRequire(import.meta.url)('better-sqlite3') as typeof import('better-sqlite3')
  const db = new Database(files.path(newest), { readonly: true, timeout: waitMs(env) })
  try {
    const key = prefix.toLowerCase()
    return db.prepare(query).pluck().all(key, `${key}\u{10ffff}`) as string[]
  } finally {
    db.close()
  }
}

/** By kind: what is asked, and where the names are in the answer. */
const routes: Partial<Record<Kind, readonly [path: (prefix: string) => string, list: string, field: string]>> = {
  prop: [(prefix) => `/entries?limit=${mostNames}${prefix === '' ? '' : `&q=${encodeURIComponent(prefix)}`}`, 'entries', 'name'],
  project: [() => '/projects', 'projects', 'name'],
  pack: [() => '/packs?limit=100', 'packs', 'name'],
  tag: [() => '/tags?limit=100', 'tags', 'name'],
  collection: [() => '/collections?limit=100', 'collections', 'name'],
  person: [() => '/members', 'members', 'name'],
}

async function fromServer(env: Environment, kind: Kind, prefix: string): Promise<string[]> {
  const route = routes[kind]
  const { url, key } = await findConnection(findFolders(env), { url: env.PH_URL, profile: undefined, key: env.PH_API_KEY })
  if (!route || key === undefined) return []
  const [path, list, field] = route
  const headers = { authorization: `Bearer ${key}` }
  const answer = await fetch(`${url}/api/v1${path(prefix)}`, {
    headers,
    redirect: 'error',
    signal: AbortSignal.timeout(waitMs(env)),
  })
  const found = ((await answer.json()) as Record<string, unknown>)[list]
  if (!answer.ok || !Array.isArray(found)) return []
  const names = found.map((one: Record<string, unknown> | null) => one?.[field]).filter((name) => typeof name === 'string')
  return [...new Set(names)].slice(0, mostNames * 2)
}
