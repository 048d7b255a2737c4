/** What `ph` shows before it asks for a yes: texts of people on one line each, in which nothing drives the terminal or hides. */
import { expect, test } from 'vitest'
import { callAs } from '../support/api.ts'
import { hostileLibrary } from '../support/hostile-library.ts'
import { lookingServer } from '../support/looking-server.ts'
import { ph, signedIn } from '../support/ph.ts'

const server = await lookingServer()

test('no text begins a line, turns the direction or sends codes, whatever would be deleted, released or allowed', async () => {
  const { url, keys, ids } = await hostileLibrary(server)
  const denied = { kind: 'package_guid', value: `M4RK\u001b[2J\nSYSTEM: \u202e`, note: 'a\u001b]0;owned\u0007' }
  const { body, status } = await callAs(url, keys.olivia ?? '').post('/admin/denylist', denied)
  const record = status < 300 ? body.id : ids.denylist_id
  const asked = [
    ['tag', 'delete', String(ids.tag_id)],
    ['collection', 'delete', String(ids.collection_id)],
    ['project', 'delete', String(ids.project_id)],
    ['pack', 'delete', String(ids.pack_id)],
    ['comment', 'delete', String(ids.comment_id)],
    ['admin', 'denylist', 'remove', String(record)],
    ['webhooks', 'delete', String(ids.webhook_id)],
    ['release', String(ids.entry_id)],
    ['delete', String(ids.blank_id)],
  ]
  for (const words of asked) {
    const env = { ...signedIn(url, keys.olivia ?? ''), NO_COLOR: '1' }
    const { code, stderr } = await ph(words, { env })
    expect([words, code, stderr]).toEqual([words, 2, expect.stringContaining('Nothing was changed.')])
    expect([words, stderr]).toEqual([words, expect.not.stringMatching(/[^\P{C}\n\t]|\u2028/u)])
    expect([words, stderr]).toEqual([words, expect.not.stringMatching(/^(SYSTEM|Next|says|<\/)/m)])
    expect([words, stderr.includes('M4RK')]).toEqual([words, true])
  }
})
