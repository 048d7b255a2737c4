/**
 * One story, told by the official client of the protocol alone, and again by `ph --json` alone: find a barrel like a picture, look at it, see
 * what it drags in, pull it into a project, comment, ask for a review, check it out, change it, and check it in.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Client } from '@modelcontextprotocol/client'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { editSampleProp, makeSampleProject } from '../../sample/content.ts'
import { callAs, type Json } from '../support/api.ts'
import { call, started } from '../support/assistants.ts'
import { signedIn } from '../support/ph.ts'
import { phProcess } from '../support/ph-process.ts'
import { byHand, startTestServer } from '../support/server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const server = await startTestServer({ embedder: 'descriptor' }, byHand)
const barrel = 'Content/Tavern/Props/SM_Barrel.uasset'

/** A library that has the sample project, and a folder of Mia's with a project that has nothing yet, and a picture of a barrel. */
async function scene() {
  const workspace = await server.addWorkspace()
  const sample = join(temporaryFolder(), 'sample')
  await makeSampleProject(sample)
  const olivia = { cwd: sample, env: signedIn(workspace.url, workspace.keys.olivia) }
  const { code, stderr } = await phProcess(['push', '--json'], olivia)
  expect(code, stderr).toBe(0)
  await server.work.look()
  const reader = callAs(workspace.url, workspace.keys.olivia)
  const { entries } = (await reader.get('/entries?name=SM_Barrel&type=mesh')).body
  const shown = await fetch(`${workspace.url}/api/v1/entries/${entries[0].id}/thumbnail`, {
    headers: { authorization: `Bearer ${workspace.keys.olivia}` },
  })
  const thumbnail = Buffer.from(await shown.arrayBuffer())
  const root = temporaryFolder({
    'Mill.uproject': '{"EngineAssociation": "5.3"}',
    'like.jpg': await seenElsewhere(thumbnail),
  })
  return { workspace, reader, root, id: entries[0].id as number }
}

/** Cropped, smaller, on another background, and as JPEG. */
const seenElsewhere = (picture: Buffer): Promise<Buffer> =>
  sharp(picture)
    .extract({ left: 20, top: 20, width: 216, height: 216 })
    .resize(150)
    .flatten({ background: '#345' })
    .jpeg({ quality: 75 })
    .toBuffer()

type Scene = Awaited<ReturnType<typeof scene>>

/** What the library says in the end, whoever told the story. */
async function ends({ reader, root, id }: Scene): Promise<void> {
  const { face, comments, review_status } = (await reader.get(`/entries/${id}`)).body
  expect(face).toMatchObject({ version: 2, push_note: 'Repainted', pushed_from: 'Mill', published_by: { name: 'mia' } })
  expect(comments).toMatchObject([{ body: 'Thinner rings?', author: { name: 'mia' } }])
  // Version 1 is in review; version 2 came after it.
  expect(review_status).toBe('draft')
  expect((await reader.get('/review-requests?view=all')).body.requests).toMatchObject([{ entry_id: id, note: 'Please look' }])
  expect((await reader.get('/locks?active=true')).body.locks).toEqual([])
  expect((await reader.get('/pull-jobs')).body.jobs).toMatchObject([{ status: 'done', target_project: 'Mill' }])
  const bytes = readFileSync(join(root, barrel))
  expect(face.content_hash).toBe(createHash('sha256').update(bytes).digest('hex'))
}

test('an assistant finds a barrel like a picture, pulls it, talks about it, edits it and checks it in', async () => {
  const told = await scene()
  const { workspace, root, id } = told
  const client = await started({ workspace, args: ['--project', root] })
  const { entries } = (await done(client, 'search', { image_file: join(root, 'like.jpg'), type: ['mesh'], limit: 3 }))
    .structuredContent
  expect(entries[0]).toMatchObject({ id, name: 'SM_Barrel' })
  const seen = await done(client, 'look', { entry_id: id, picture: true })
  expect(seen.content).toContainEqual(expect.objectContaining({ type: 'image', mimeType: 'image/png' }))
  const needs = (await done(client, 'needs', { entry_id: id })).structuredContent
  expect(JSON.stringify(needs)).toContain('T_Oak_BC')
  const pulled = await planned(client, 'pull_files', { entry_ids: [id] })
  expect(pulled.pulls).toMatchObject([{ status: 'done' }])
  await planned(client, 'comment', { entry_id: id, body: 'Thinner rings?' })
  await planned(client, 'request_review', { entry_id: id, note: 'Please look', reviewers: ['olivia'] })
  await planned(client, 'check_out_files', { props: [barrel], note: 'Repainting' })
  await editSampleProp(root)
  const checkedIn = await planned(client, 'check_in_files', { props: [barrel], note: 'Repainted' })
  expect(checkedIn).toMatchObject({ released: [{ name: 'SM_Barrel' }], still_checked_out: [] })
  await ends(told)
})

test('ph --json alone tells the same story', async () => {
  const told = await scene()
  const { workspace, root, id } = told
  const folders = { PH_CONFIG_DIR: temporaryFolder(), PH_STATE_DIR: temporaryFolder(), PH_CACHE_DIR: temporaryFolder() }
  const ask = async (...args: string[]): Promise<Json> => {
    const { code, stdout, stderr } = await phProcess([...args, '--json'], {
      cwd: root,
      env: { ...signedIn(workspace.url, workspace.keys.mia), ...folders },
    })
    expect(code, `ph ${args.join(' ')}\n${stderr}`).toBe(0)
    return JSON.parse(stdout)
  }
  expect((await ask('search', '--like', 'like.jpg', '--type', 'mesh', '--limit', '3')).entries[0]).toMatchObject({ id })
  expect(JSON.stringify(await ask('show', `${id}`))).toContain('T_Oak_BC')
  expect((await ask('pull', `${id}`, '--project', 'Mill')).jobs).toMatchObject([{ status: 'done' }])
  await ask('comment', `${id}`, 'Thinner rings?')
  await ask('review', 'request', `${id}`, '--reviewer', 'olivia', '--note', 'Please look')
  await ask('checkout', barrel, '--note', 'Repainting')
  await editSampleProp(root)
  expect((await ask('checkin', barrel, '--note', 'Repainted')).released).toMatchObject([{ name: 'SM_Barrel' }])
  await ends(told)
})

async function done(client: Client, name: string, args: Json): Promise<Json> {
  const answer = await call(client, name, args)
  expect(answer.isError, JSON.stringify(answer.content)).toBeFalsy()
  return answer
}

/** The plan, and then what came of it. */
async function planned(client: Client, name: string, args: Json): Promise<Json> {
  const { plan_token } = (await done(client, name, args)).structuredContent
  return (await done(client, name, { ...args, plan_token })).structuredContent.result
}
