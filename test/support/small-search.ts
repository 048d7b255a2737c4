/** `ph search` over a small library of its own, as an admin runs it. */
import { expect } from 'vitest'
import { callAs, type Json } from './api.ts'
import { ph, type Setting, signedIn } from './ph.ts'
import type { TestServer } from './server.ts'
import { fillSmallLibrary } from './small-library.ts'

/** Words of a command line, or a list where one of them holds a space. */
type Line = string | readonly string[]

export async function smallSearch(server: TestServer) {
  const { url, keys } = await server.addWorkspace()
  const admin = callAs(url, keys.olivia)
  const ids = await fillSmallLibrary(admin)
  const env: Record<string, string> = { ...signedIn(url, keys.olivia), NO_COLOR: '1' }
  const run = (line: Line, more: Setting = {}) => ph(line, { env, ...more })
  /** The entries that `ph search` finds by what follows it. */
  const found = async (line: Line): Promise<Json[]> => {
    const args = typeof line === 'string' ? line.split(' ') : line
    const { code, stdout, stderr } = await run(['search', ...args, '--json'])
    expect(code, stderr).toBe(0)
    return JSON.parse(stdout).entries
  }
  const names = async (line: Line) => (await found(line)).map(({ name }) => name)
  return { url, admin, ids, env, run, found, names }
}
