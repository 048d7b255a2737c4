/** What the front door remembers is made to be forgotten wherever it changes: a statement that forgot would let a revoked key in. */
import { expect, test } from 'vitest'
import { matchesIn, programFiles, textOf } from './project.ts'

test('keys, members and workspaces are changed inside changingAccess, so that the front door looks again', () => {
  const changes = /\b(update|delete from) (api_keys|members|workspaces)\b|\binsert into workspaces\b/g
  // What the front door does not remember: when a key was used, how much a workspace keeps, and what a member did first.
  const harmless = [
    'server/front-door/key-uses.ts',
    'server/storage/counting/stored-bytes.ts',
    'server/storage/counting/workspace-ledger.ts',
    'server/rows/first-steps.ts',
  ]
  const changing = programFiles.filter((path) => path.startsWith('server/') && matchesIn(path, changes).length > 0)
  expect(changing).toContain('server/accounts/keys.ts')
  expect(changing.filter((path) => !harmless.includes(path) && !textOf(path).includes('changingAccess('))).toEqual([])
})
