/** Pull jobs: what an order brings, who may claim it, and what a report must say (spec 3, 4.3; contract-gaps 4 and 9). */
import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { type Caller, callAs, type Json } from '../support/api.ts'
import { type Item, item, plainFile, pushed, sha256, uniqueName } from '../support/push.ts'
import { startTestServer } from '../support/server.ts'

const server = await startTestServer()
const { url, keys } = await server.addWorkspace()
const [mia, max, adam, reads] = [callAs(url, keys.mia), callAs(url, keys.max), callAs(url, keys.adam), callAs(url, keys.miaReads)]

const needs = (...items: Item[]) => ({ dependencies: items.map(({ content_hash }) => ({ content_hash })) })

/** A mesh with its texture, in the library. */
async function prop(over: Json = {}) {
  const texture = plainFile(over)
  const mesh = item({ ...needs(texture), ...over })
  const [, root] = await pushed(mia, [texture, mesh])
  return { texture, mesh, entry_id: root?.entry_id as number, object_id: root?.object_id as number }
}

const order = (entries: Json[], more: Json = {}) => ({
  target_project: uniqueName('Proj'),
  target_root: '/Game',
  entries,
  ...more,
})

async function ordered(entries: Json[], more: Json = {}): Promise<Json> {
  const answer = await mia.post('/pull-jobs', order(entries, more))
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body
}

const claim = (job: Json, who: Caller = max, body: Json = {}) =>
  who.post(`/pull-jobs/${job.id}/claim`, { project_key: job.target_project, engine_version: '5.4.0', ...body })

async function running(job: Json): Promise<string> {
  const { claim_token } = (await claim(job)).body
  expect((await max.patch(`/pull-jobs/${job.id}`, { status: 'running', claim_token })).status).toBe(200)
  return claim_token
}

const closureOf = async (job: Json): Promise<Json[]> => (await reads.get(`/pull-jobs/${job.id}/closure`)).body.objects
const hashesOf = async (job: Json): Promise<string[]> => (await closureOf(job)).map(({ content_hash }) => content_hash).sort()

/** Two versions of a texture at one place, a mesh that needs each; the newer one also needs a mask of its own. */
async function twoVersions() {
  const mask = plainFile()
  const older = plainFile({ ...needs(mask) })
  const oldUser = item(needs(older))
  const [, { object_id: olderId, lineage_id } = {}, { entry_id: oldUserId } = {}] = (await pushed(mia, [
    mask,
    older,
    oldUser,
  ])) as Json[]
  const newer = plainFile({
    asset_name: older.asset_name,
    origin_path: older.origin_path,
    stamped_lineage_id: lineage_id,
    stamped_base_hash: older.content_hash,
  })
  const newUser = item(needs(newer))
  const [{ object_id: newerId } = {}, { entry_id: newUserId } = {}] = (await pushed(mia, [newer, newUser])) as Json[]
  const entries = [{ entry_id: oldUserId }, { entry_id: newUserId }]
  return { mask, older, newer, oldUser, newUser, olderId, newerId, lineage_id, entries }
}

test('a job keeps what its entries needed when it was ordered, however the library goes on', async () => {
  const { texture, mesh, entry_id, object_id } = await prop()
  const job = await ordered([{ entry_id }])
  const edited = item({
    asset_name: mesh.asset_name,
    stamped_lineage_id: (await closureOf(job))[1]?.lineage_id,
    stamped_base_hash: mesh.content_hash,
  })
  await pushed(mia, [edited])
  expect(await hashesOf(job)).toEqual([texture.content_hash, mesh.content_hash].sort())
  expect((await reads.get(`/pull-jobs/${job.id}`)).body.entries).toMatchObject([{ entry_id, object_id }])
  const again = await ordered([{ entry_id, object_id }])
  expect(await hashesOf(again)).toContain(mesh.content_hash)
  expect(await hashesOf(await ordered([{ entry_id }]))).toEqual([edited.content_hash])
})

test('versions of another prop, unknown versions and unknown entries are named, and nothing is recorded', async () => {
  const [one, other] = [await prop(), await prop()]
  const ask = (entries: Json[]) => mia.post('/pull-jobs', order(entries))
  expect((await ask([{ entry_id: one.entry_id, object_id: other.object_id }])).body.error.code).toBe('LINEAGE_CONFLICT')
  expect((await ask([{ entry_id: one.entry_id, object_id: 987_654_321 }])).body.error).toMatchObject({
    code: 'OBJECT_NOT_FOUND',
    details: { missing: [987_654_321] },
  })
  expect((await ask([{ entry_id: one.entry_id }, { entry_id: 987_654_321 }])).body.error).toMatchObject({
    code: 'ENTRY_NOT_FOUND',
    details: { missing: [987_654_321] },
  })
  expect((await reads.get(`/entries/${one.entry_id}`)).body.ever_pulled).toBe(false)
})

test('two versions of one prop in one place are refused by name, unless the newest may stand for both', async () => {
  const { mask, older, newer, oldUser, newUser, olderId, newerId, lineage_id, entries } = await twoVersions()
  const refused = await mia.post('/pull-jobs', order(entries))
  expect(refused.status).toBe(422)
  expect(refused.body.error.message).toContain(older.origin_path)
  expect(refused.body.error.details.errors[0].object_ids).toEqual([olderId, newerId])

  const job = await ordered(entries, { prefer: 'newest' })
  expect(job.warnings).toMatchObject([{ type: 'newer_version_used', lineage_id, object_id: olderId, newer_object_id: newerId }])
  // The mask was needed by the older version alone.
  expect(await hashesOf(job)).toEqual([newer, oldUser, newUser].map(({ content_hash }) => content_hash).sort())
  expect(await hashesOf(job)).not.toContain(mask.content_hash)
})

test('two versions that were both asked for by id clash, whatever is preferred', async () => {
  const first = item()
  const [{ entry_id, object_id, lineage_id } = {}] = (await pushed(mia, [first])) as Json[]
  const edited = item({ asset_name: first.asset_name, stamped_lineage_id: lineage_id, stamped_base_hash: first.content_hash })
  const [{ object_id: second } = {}] = (await pushed(mia, [edited])) as Json[]
  const both = [
    { entry_id, object_id },
    { entry_id, object_id: second },
  ]
  expect((await mia.post('/pull-jobs', order(both, { prefer: 'newest' }))).status).toBe(422)
})

test('different props that land in one place are refused, with the newest preferred too', async () => {
  const one = item()
  const other = item({
    asset_name: one.asset_name,
    origin_path: one.origin_path.replace('Props', 'PROPS'),
    force_new_lineage: true,
  })
  const [a] = await pushed(mia, [one])
  const [b] = await pushed(mia, [other])
  const entries = [{ entry_id: a?.entry_id }, { entry_id: b?.entry_id }]
  for (const more of [{}, { prefer: 'newest' }]) {
    const answer = await mia.post('/pull-jobs', order(entries, more))
    expect([answer.status, answer.body.error.message]).toEqual([422, expect.stringContaining('different props')])
  }
})

test('a closure of 5,000 files is pulled, one of 5,001 is refused', async () => {
  const files = Array.from({ length: 4999 }, () => plainFile({ engine_version: undefined }))
  for (let at = 0; at < files.length; at += 1000) await pushed(mia, files.slice(at, at + 1000))
  const fitting = item(needs(...files))
  const extra = plainFile()
  const [{ entry_id } = {}] = (await pushed(mia, [fitting])) as Json[]
  expect((await ordered([{ entry_id }])).object_count).toBe(5000)
  const tooMany = item(needs(...files, extra))
  const [, { entry_id: beyond } = {}] = (await pushed(mia, [extra, tooMany])) as Json[]
  const refused = await mia.post('/pull-jobs', order([{ entry_id: beyond }]))
  expect([refused.status, refused.body.error.message]).toEqual([422, expect.stringContaining('5000 files')])
})

test('of many claims at once the first one wins, and the others are told that the job is claimed', async () => {
  const { entry_id } = await prop()
  const job = await ordered([{ entry_id }])
  const answers = await Promise.all(Array.from({ length: 8 }, (_, i) => claim(job, i % 2 ? max : adam)))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  for (const { status, body } of answers.filter((answer) => answer.status !== 200))
    expect([status, body.error.code, body.error.details.status]).toEqual([409, 'JOB_STATE', 'claimed'])
})

test('a claim token works with the keys of the one who claimed, and with nobody else’s', async () => {
  const { entry_id } = await prop()
  const job = await ordered([{ entry_id }])
  const claim_token = await running(job)
  const beat = (who: Caller) => who.post(`/pull-jobs/${job.id}/heartbeat`, { claim_token })
  expect((await beat(max)).status).toBe(200)
  expect((await beat(adam)).body.error).toMatchObject({ code: 'JOB_STATE', details: { status: 'running' } })
  expect((await beat(mia)).status).toBe(409)
})

test('who claims may choose the token: with it a claim whose answer never came is answered again, to the same person; a guessable one is refused', async () => {
  const { entry_id } = await prop()
  const job = await ordered([{ entry_id }])
  for (const short of ['', 'token', 'x'.repeat(26), `${'x'.repeat(30)} `])
    expect((await claim(job, max, { claim_token: short })).body.error).toMatchObject({ code: 'VALIDATION' })
  const claim_token = randomBytes(24).toString('base64url')
  expect((await claim(job, max, { claim_token })).body).toMatchObject({ status: 'claimed', claim_token })
  expect((await claim(job, max, { claim_token })).body).toMatchObject({ status: 'claimed', claim_token })
  for (const refused of [
    await claim(job, adam, { claim_token }),
    await claim(job, max),
    await claim(job, max, { claim_token: `${claim_token}x` }),
  ])
    expect(refused.body.error).toMatchObject({ code: 'JOB_STATE', details: { status: 'claimed' } })
  const beat = (who: Caller) => who.post(`/pull-jobs/${job.id}/heartbeat`, { claim_token })
  expect((await beat(max)).body).toMatchObject({ job_id: job.id, status: 'claimed' })
  expect((await beat(adam)).status).toBe(409)
  expect((await max.patch(`/pull-jobs/${job.id}`, { status: 'running', claim_token })).status).toBe(200)
  expect((await claim(job, max, { claim_token })).body).toMatchObject({ status: 'running', claim_token })
})

test('a lease that ran out makes the job wait again, in lists and details too, and its token is worth nothing', async () => {
  const { entry_id } = await prop()
  const job = await ordered([{ entry_id }])
  const claim_token = await running(job)
  server.clock.advance(61 * 60_000)
  const shown = (await reads.get(`/pull-jobs/${job.id}`)).body
  expect(shown).toMatchObject({ status: 'queued', claimed_by: null, engine_version: null })
  const listed = async (status: string) =>
    (await reads.get(`/pull-jobs?target_project=${job.target_project}&status=${status}`)).body.jobs
  expect([await listed('queued'), await listed('running')]).toMatchObject([[{ id: job.id }], []])
  const answer = await max.patch(`/pull-jobs/${job.id}`, { status: 'failed', claim_token, failure_reason: 'late' })
  expect(answer.body.error).toMatchObject({ code: 'JOB_STATE', details: { status: 'queued' } })
  expect((await mia.patch(`/pull-jobs/${job.id}`, { status: 'cancelled' })).body.status).toBe('cancelled')
})

test('only the person who ordered a job or an admin cancels it', async () => {
  const { entry_id } = await prop()
  const [one, other] = [await ordered([{ entry_id }]), await ordered([{ entry_id }])]
  expect((await max.patch(`/pull-jobs/${one.id}`, { status: 'cancelled' })).body.error.code).toBe('FORBIDDEN')
  expect((await mia.patch(`/pull-jobs/${one.id}`, { status: 'cancelled' })).body.status).toBe('cancelled')
  expect((await adam.patch(`/pull-jobs/${other.id}`, { status: 'cancelled' })).body.status).toBe('cancelled')
})

test('an older editor is refused with the files that need a newer one; patch versions do not matter', async () => {
  const { entry_id, object_id } = await prop({ engine_version: '5.4.2' })
  const job = await ordered([{ entry_id }])
  const refused = await claim(job, max, { engine_version: '5.3.9' })
  expect(refused.body.error).toMatchObject({ code: 'ENGINE_TOO_OLD' })
  expect(refused.body.error.details.objects.map((one: Json) => one.object_id)).toContain(object_id)
  const taken = await claim(job, max, { engine_version: '5.4.0' })
  expect([taken.status, taken.body.warnings]).toEqual([200, []])
  const later = await ordered([{ entry_id }])
  expect((await claim(later, max, { engine_version: '5.5.1' })).body.warnings).toMatchObject([
    { type: 'older_engine', objects: 2 },
  ])
})

test('an editor that does not know its version may claim', async () => {
  const { entry_id } = await prop()
  const answer = await claim(await ordered([{ entry_id }]), max, { engine_version: null })
  expect([answer.status, answer.body.engine_version, answer.body.warnings]).toEqual([200, null, []])
})

test('a report that names a file of another job is refused by name, and a failed one may be partial', async () => {
  const { entry_id } = await prop()
  const job = await ordered([{ entry_id }])
  const claim_token = await running(job)
  const line = ({ asset_name, content_hash, lineage_id }: Json) => ({
    asset_name,
    destination: '/Game/X',
    content_hash,
    lineage_id,
  })
  const lists = { added: [], skipped_identical: [], conflicts: [], failed: [] }
  const [first, second] = await closureOf(job)
  const stranger = { ...line(second), content_hash: sha256(Buffer.from('stranger')) }
  const done = { status: 'done', claim_token, report_json: { ...lists, skipped_identical: [line(first), stranger] } }
  const refused = await max.patch(`/pull-jobs/${job.id}`, done)
  expect(refused.body.error.details.errors.map((one: Json) => one.path)).toEqual([
    'report_json.skipped_identical.1',
    'report_json',
  ])
  const failed = { ...lists, failed: [{ ...line(first), error: 'The disk is full.' }] }
  const answer = await max.patch(`/pull-jobs/${job.id}`, {
    status: 'failed',
    claim_token,
    failure_reason: 'disk',
    report_json: failed,
  })
  expect(answer.body).toMatchObject({ status: 'failed', failure_reason: 'disk', report_json: failed })
})

test('a report names files as the closure does, also one without a name', async () => {
  const [{ entry_id }] = await pushed(mia, [item({ asset_name: undefined })])
  const job = await ordered([{ entry_id }])
  const claim_token = await running(job)
  const [{ asset_name, content_hash, lineage_id }] = await closureOf(job)
  expect(asset_name).toBeNull()
  const skipped_identical = [{ asset_name, destination: '/Game/X', content_hash, lineage_id }]
  const report_json = { added: [], skipped_identical, conflicts: [], failed: [] }
  const answer = await max.patch(`/pull-jobs/${job.id}`, { status: 'done', claim_token, report_json })
  expect(answer.body).toMatchObject({ status: 'done', report_json })
})

test('a plan answers the files with what the job would be, and leaves nothing behind', async () => {
  const { entry_id, mesh, texture } = await prop()
  const body = order([{ entry_id }], { target_root: '/Game/Kit' })
  const plan = (await mia.post('/pull-jobs/plan', body)).body
  expect(plan).toMatchObject({
    id: null,
    status: 'queued',
    target_root: '/Game/Kit',
    object_count: 2,
    closure: { total_objects: 2 },
  })
  expect(plan.closure.objects.map((one: Json) => one.content_hash).sort()).toEqual(
    [mesh.content_hash, texture.content_hash].sort(),
  )
  expect((await reads.get(`/pull-jobs?target_project=${body.target_project}`)).body.jobs).toEqual([])
  expect((await reads.get(`/entries/${entry_id}`)).body.ever_pulled).toBe(false)
})

test('the files of a job come with addresses that answer their bytes', async () => {
  const { entry_id, mesh } = await prop()
  const job = await ordered([{ entry_id }])
  const { objects } = (await reads.get(`/pull-jobs/${job.id}/closure?urls=true`)).body
  const root = objects.find((one: Json) => one.content_hash === mesh.content_hash)
  const bytes = Buffer.from(await (await fetch(new URL(root.url, url))).arrayBuffer())
  expect(sha256(bytes)).toBe(mesh.content_hash)
})

test('jobs are listed newest first, page by page, without their tokens', async () => {
  const { entry_id } = await prop()
  const target_project = uniqueName('Paged')
  const made: number[] = []
  for (let i = 0; i < 5; i++) made.unshift((await ordered([{ entry_id }], { target_project })).id)
  const seen: number[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: Json = (await reads.get(`/pull-jobs?target_project=${target_project}&limit=2${cursor && `&cursor=${cursor}`}`))
      .body
    seen.push(...page.jobs.map((job: Json) => job.id))
    cursor = page.next_cursor
  }
  expect(seen).toEqual(made)
})

test('why a job was sent is in its lists, its details, its plan and its claim; white space alone is no reason', async () => {
  const { entry_id } = await prop()
  const target_project = uniqueName('Noted')
  const job = await ordered([{ entry_id }], { target_project, note: 'for the tavern' })
  const plan = (await mia.post('/pull-jobs/plan', order([{ entry_id }], { note: 'for the inn' }))).body
  const [listed] = (await reads.get(`/pull-jobs?target_project=${target_project}`)).body.jobs
  const claimed = (await claim(job)).body
  expect([job.note, plan.note, listed.note, claimed.note]).toEqual([
    'for the tavern',
    'for the inn',
    'for the tavern',
    'for the tavern',
  ])
  expect((await ordered([{ entry_id }], { note: '  ' })).note).toBeNull()
  expect((await mia.post('/pull-jobs', order([{ entry_id }], { note: 'x'.repeat(1001) }))).status).toBe(422)
})
