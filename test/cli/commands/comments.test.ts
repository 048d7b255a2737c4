/** ph comments, resolve and react: reading threads, settling them, and an emoji below. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import stringWidth from 'string-width'
import { expect, test } from 'vitest'
import type { Json } from '../../support/api.ts'
import { commentsOf, innWith, say, uploadPicture } from '../../support/discussion.ts'
import { noisyPng } from '../../support/media.ts'
import { startTestServer } from '../../support/server.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const server = await startTestServer()

test('threads stand with their replies set in: who, on which version, what was said, pictures, who is told, reactions', async () => {
  const { at, as, barrel, push } = await innWith(server)
  const second = await push()
  const { id: picture } = await uploadPicture(as.max)
  const top = await say(as.max, barrel.entry_id, {
    body: 'too thin @mia\n\n  at the top',
    object_id: second.object_id,
    attachment_ids: [picture],
  })
  const other = await say(as.olivia, barrel.entry_id, { body: 'other' })
  const reply = await say(as.mia, barrel.entry_id, { body: 'thicker', parent_id: top.id })
  await as.mia.put(`/comments/${top.id}/reactions`, { emoji: '🎉' })
  await as.max.put(`/comments/${top.id}/reactions`, { emoji: '🎉' })
  await as.mia.patch(`/comments/${reply.id}`, { body: 'thicker now' })
  await as.adam.patch(`/comments/${other.id}`, { body: 'another' })
  await as.adam.post(`/comments/${other.id}/resolve`)
  expect((await at.mia('comments SM_Barrel')).stdout.replace(/\d+ B/, 'n B')).toBe(
    [
      'SM_Barrel, 3 comments in 2 threads, 1 resolved',
      '',
      `${top.id} max, just now, on v2`,
      '    too thin @mia',
      '',
      '      at the top',
      `    picture ${picture}: 3 x 2 px, n B`,
      '    tells mia',
      '    🎉 2 (mia and max)',
      `    ${reply.id} mia, just now, edited`,
      '        thicker now',
      '',
      `${other.id} olivia, just now, edited by an admin ✓ resolved by adam just now`,
      '    another',
      '',
    ].join('\n'),
  )
})

test('the JSON holds the comments as they are stored, thread by thread', async () => {
  const { ok, as, barrel } = await innWith(server)
  const top = await say(as.max, barrel.entry_id)
  const other = await say(as.max, barrel.entry_id)
  const reply = await say(as.max, barrel.entry_id, { parent_id: top.id })
  expect(await ok('mia', 'comments SM_Barrel')).toEqual({
    entry_id: barrel.entry_id,
    name: 'SM_Barrel',
    comments: [top, reply, other],
  })
})

test('open threads, or those about a version, alone; a thread counts where any of it speaks of the version', async () => {
  const { ok, at, as, barrel, push } = await innWith(server)
  const second = await push()
  const top = await say(as.max, barrel.entry_id)
  await say(as.max, barrel.entry_id, { parent_id: top.id, object_id: second.object_id })
  const other = await say(as.max, barrel.entry_id)
  await as.max.post(`/comments/${top.id}/resolve`)
  const ids = ({ comments }: Json) => comments.map(({ id }: Json) => id)
  expect(ids(await ok('mia', 'comments SM_Barrel --open'))).toEqual([other.id])
  expect(ids(await ok('mia', 'comments SM_Barrel --version v2'))).toEqual([top.id, top.id + 1])
  expect((await at.mia('comments SM_Barrel --version v1')).stdout).toContain('No thread on SM_Barrel is like that')
})

test('where nobody said anything the command that begins is named', async () => {
  const { at } = await innWith(server)
  expect((await at.mia('comments SM_Barrel')).stdout).toBe(
    'Nobody has said anything about SM_Barrel yet. Begin: `ph comment SM_Barrel`\n',
  )
})

test('what people write never drives the terminal, and is in the JSON as it was sent', async () => {
  const { at, ok, as, barrel } = await innWith(server)
  const body = '\u001b[2J\u001b]0;mine\u0007 \u202egnp.exe \u200bhidden\r\nnext\u2028line 👩‍👩‍👧 \u{e0061}'
  await say(as.max, barrel.entry_id, { body })
  for (const columns of [undefined, 80]) {
    const { stdout } = await at.mia('comments SM_Barrel', columns ? { columns } : {})
    expect(stdout).toContain('    \ufffd[2J\ufffd]0;mine\ufffd \ufffdgnp.exe \ufffdhidden\n    next\n    line 👩‍👩‍👧 \ufffd\n')
  }
  expect((await ok('mia', 'comments SM_Barrel')).comments[0].body).toBe(body)
})

test('no line is wider than the terminal, at 80 columns and at 40, but for words that are', async () => {
  const { at, as, barrel } = await innWith(server)
  const top = await say(as.max, barrel.entry_id, { body: 'a sentence that goes on and on '.repeat(9) })
  await say(as.max, barrel.entry_id, { parent_id: top.id, body: '木でできた樽 '.repeat(20) })
  for (const columns of [80, 40])
    for (const line of (await at.mia('comments SM_Barrel', { columns })).stdout.split('\n'))
      expect(stringWidth(line)).toBeLessThanOrEqual(columns)
})

test('pictures are written into a folder, byte for byte', async () => {
  const { ok, as, barrel } = await innWith(server)
  const bytes = await noisyPng(40, 30)
  const { id } = await uploadPicture(as.max, bytes)
  await say(as.max, barrel.entry_id, { attachment_ids: [id] })
  const cwd = temporaryFolder()
  const file = join(cwd, 'seen', `${id}.png`)
  expect((await ok('miaReads', 'comments SM_Barrel --save seen', { cwd })).saved).toEqual([{ attachment_id: id, file }])
  expect(readFileSync(file)).toEqual(bytes)
  expect(readdirSync(join(cwd, 'seen'))).toEqual([`${id}.png`])
})

test('a thread is resolved and opened again by any of its comments; doing it twice changes nothing', async () => {
  const { at, ok, as, barrel } = await innWith(server)
  const top = await say(as.max, barrel.entry_id, { body: 'too thin' })
  const reply = await say(as.max, barrel.entry_id, { parent_id: top.id })
  expect((await at.mia(`resolve ${reply.id}`)).stdout).toBe(
    `Thread ${top.id}, in which ${reply.id} replies, is resolved: "too thin"\n`,
  )
  expect(await ok('olivia', `resolve ${top.id}`)).toMatchObject({ id: top.id, resolved_by: { name: 'mia' } })
  expect((await at.mia(`resolve ${top.id} --undo`)).stdout).toBe(`Thread ${top.id} is open: "too thin"\n`)
  expect((await commentsOf(as.mia, barrel.entry_id))[0]?.resolved_at).toBe(null)
  expect((await at.mia('resolve 999999')).stderr).toContain('There is no comment 999999')
})

test('a reaction is put by its emoji or its word and taken back; the others stay', async () => {
  const { at, ok, as, barrel } = await innWith(server)
  const { id } = await say(as.max, barrel.entry_id)
  await at.mia(`react ${id} 👍`)
  for (const heart of ['❤', ':heart:', 'LOVE']) await at.max(`react ${id} ${heart}`)
  expect((await at.max(`react ${id} thumbsup`)).stdout).toBe(`Comment ${id}: 👍 2 (mia and max)  ❤️ 1 (max)\n`)
  expect((await ok('max', `react ${id} heart --undo`)).reactions).toMatchObject([{ emoji: '👍', count: 2 }])
  await at.max(`react ${id} up --undo`)
  expect((await at.mia(`react ${id} up --undo`)).stdout).toBe(`Comment ${id} has no reactions now.\n`)
  const wrong = await at.mia(`react ${id} 🦖`)
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('👍 up, 👎 down')])
})
