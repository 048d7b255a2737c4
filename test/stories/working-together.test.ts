/**
 * Three people with two projects work on one prop, each at a machine of their own: a version is pushed and put to review with a mention and
 * a drawing, changes are requested, the prop is checked out, edited and checked in, and the next version is approved. In the end what each
 * of them reads - queues, notifications, feeds, locks, the files - tells of the same events.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { callAs, type Json } from '../support/api.ts'
import { pngOf } from '../support/media.ts'
import { signedIn } from '../support/ph.ts'
import { type ProcessEnding, phProcess } from '../support/ph-process.ts'
import { startTestServer } from '../support/server.ts'
import { temporaryFolder, writeFiles } from '../support/temporary-folder.ts'
import { packageAt } from '../support/unreal-project.ts'

const server = await startTestServer()
const barrel = 'Content/Inn/SM_Barrel.uasset'

interface Worker {
  /** Ends with this exit code. */
  ph(line: string, expected?: number): Promise<ProcessEnding>
  /** The same with `--json`. */
  ask(line: string, expected?: number): Promise<Json>
  save(name: string, payload: string, imports?: string[]): Promise<void>
  bytes(): Buffer
}

/** Words of a line are separated by blanks; what stands in double quotes is one of them. */
const wordsOf = (line: string): string[] => (line.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll('"', ''))

function workerAt(url: string, key: string, project: string): Worker {
  const cwd = temporaryFolder({ [`${project}.uproject`]: '{"EngineAssociation": "5.3"}' })
  const folders = { PH_CONFIG_DIR: temporaryFolder(), PH_STATE_DIR: temporaryFolder(), PH_CACHE_DIR: temporaryFolder() }
  const ph = async (line: string, expected = 0) => {
    const ending = await phProcess(wordsOf(line), { cwd, env: { ...signedIn(url, key), ...folders } })
    expect(ending.code, `ph ${line}\n${ending.stdout}${ending.stderr}`).toBe(expected)
    return ending
  }
  return {
    ph,
    async ask(line, expected = 0) {
      const { stdout, stderr } = await ph(`${line} --json`, expected)
      return JSON.parse(stdout || stderr)
    },
    async save(name, payload, imports = []) {
      const place = `Content/Inn/${name}.uasset`
      const thumbnail = await pngOf(24, 16)
      writeFiles(cwd, { [place]: await packageAt(place, { payload: Buffer.from(payload), imports, thumbnail }) })
    },
    bytes: () => readFileSync(join(cwd, barrel)),
  }
}

test('a prop goes through a review by three people in two projects, and everything that each of them reads agrees', {
  timeout: 900_000,
}, async () => {
  const { url, keys } = await server.addWorkspace()
  const olivia = workerAt(url, keys.olivia, 'Inn')
  const mia = workerAt(url, keys.mia, 'Tavern')
  const max = workerAt(url, keys.max, 'Tavern')
  const { prop, second } = await pushTwoVersions({ olivia, mia, max })

  const first = await askForReview(olivia, second)
  expect(await waiting({ olivia, mia, max })).toEqual({ olivia: [], mia: ['review'], max: ['mention'] })
  await lookAndRequestChanges(mia, first)
  expect(await waiting({ olivia, mia, max })).toEqual({ olivia: ['changes'], mia: [], max: ['mention'] })
  await hearOfChanges(olivia, first)
  await checkOutAlone({ olivia, mia, max })
  const third = await editAndCheckIn(olivia, prop)
  const next = await askAgainAndApprove({ olivia, mia }, { first, third })
  expect(await waiting({ olivia, mia, max })).toEqual({ olivia: [], mia: [], max: ['mention'] })

  await queuesAgree({ olivia, mia, max }, [next, first])
  await notificationsAgree({ olivia, mia, max }, { first, next })
  await feedsAgree(callAs(url, keys.max), { prop, second, third, first, next })
  await locksAgree(callAs(url, keys.max), { prop, third })
  await max.ph('pull SM_Barrel --project Tavern')
  expect(max.bytes().equals(olivia.bytes())).toBe(true)
})

type People = Record<'olivia' | 'mia' | 'max', Worker>

/** What stands in the inbox of each. */
async function waiting(people: People): Promise<Record<keyof People, string[]>> {
  const kinds = async (person: Worker) => (await person.ask('inbox')).items.map(({ kind }: Json) => kind)
  return { olivia: await kinds(people.olivia), mia: await kinds(people.mia), max: await kinds(people.max) }
}

interface Prop {
  id: number
  lineage_id: string
}

/** Olivia pushes it from Inn, the others pull it into Tavern, and she pushes the next version. */
async function pushTwoVersions({ olivia, mia, max }: People) {
  await olivia.save('M_Oak', 'oak')
  await olivia.save('SM_Barrel', 'first', ['/Game/Inn/M_Oak'])
  await olivia.ph('push')
  await mia.ph('pull SM_Barrel --project Tavern')
  await max.ph('pull SM_Barrel --project Tavern')
  await olivia.save('SM_Barrel', 'second', ['/Game/Inn/M_Oak'])
  await olivia.ph('push --note "New rings"')
  const { entry } = await olivia.ask('show SM_Barrel')
  return { prop: { id: entry.id, lineage_id: entry.lineage_id } as Prop, second: entry.object_id as number }
}

/** With a drawing on the picture of the version, and a note that mentions Max. */
async function askForReview(olivia: Worker, version: number): Promise<Json> {
  const { suggestions } = await olivia.ask('review request SM_Barrel --dry-run')
  // Nobody but herself has worked on it yet.
  expect(suggestions).toEqual([])
  const drawing = { shape: 'rect', geometry: { x: 0.1, y: 0.2, w: 0.3, h: 0.4 } }
  const file = join(temporaryFolder({ 'drawing.json': JSON.stringify(drawing) }), 'drawing.json')
  await olivia.ph(`annotate SM_Barrel ${file}`)
  const line = 'review request SM_Barrel --version v2 --reviewer mia --note "New rings, @max: like yours?"'
  const { reviews } = await olivia.ask(line)
  const [{ request }] = reviews
  expect(request).toMatchObject({ object_id: version, status: 'open', mentions: [{ name: 'max' }] })
  expect((await olivia.ask('review request SM_Barrel --reviewer max', 5)).error.details.open_request_id).toBe(request.id)
  return request
}

async function lookAndRequestChanges(mia: Worker, round: Json): Promise<void> {
  const { requests, waiting } = await mia.ask('review list --waiting-on-me')
  expect([requests.map(({ id }: Json) => id), waiting]).toEqual([[round.id], 1])
  const { stdout } = await mia.ph(`review show r${round.id}`)
  expect(stdout).toMatch(/note {7}New rings, @max: like yours\?\n/)
  expect(stdout).toMatch(/by olivia: New rings\n/)
  expect(stdout).toContain('It was pulled into Tavern.')
  expect((await mia.ask('annotations SM_Barrel')).annotations).toMatchObject([
    { object_id: round.object_id, author: { name: 'olivia' } },
  ])
  const changes = await mia.ph('review changes SM_Barrel --note "The rings are too thick"')
  expect(changes.stdout).toContain('changes requested of olivia')
}

async function hearOfChanges(olivia: Worker, round: Json): Promise<void> {
  const { notifications } = await olivia.ask('notifications')
  // Asked to make the changes, too: of two reasons for one event the more specific one is told.
  expect(notifications).toMatchObject([{ reason: 'review.responded', request_id: round.id, actor: { name: 'mia' } }])
  const { stdout } = await olivia.ph('review show SM_Barrel')
  expect(stdout).toContain('state      changes requested, assigned to olivia\n')
  expect(stdout).toMatch(/ {2}mia {2}changes requested of olivia, .*\n {6}The rings are too thick\n/)
}

/** Max is refused, and told by whom; Mia sees it too. */
async function checkOutAlone({ olivia, mia, max }: People): Promise<void> {
  await olivia.ph(`checkout ${barrel} --note "Thinner rings"`)
  const { stderr } = await max.ph('checkout SM_Barrel', 5)
  expect(stderr.replaceAll(/\s+/g, ' ')).toMatch(/Checked out by someone else: SM_Barrel \(olivia, .*: Thinner rings\)/)
  const { locks } = await mia.ask('locks')
  expect(locks).toMatchObject([{ name: 'SM_Barrel', mine: false, base: 'current', lock: { holder: { name: 'olivia' } } }])
}

async function editAndCheckIn(olivia: Worker, { lineage_id }: Prop): Promise<number> {
  await olivia.save('SM_Barrel', 'third', ['/Game/Inn/M_Oak'])
  await olivia.ph(`checkin ${barrel} --note "Thinner rings"`)
  const { objects, lock } = await olivia.ask(`api GET /lineages/${lineage_id}`)
  expect([objects.length, objects[0].push_note, lock]).toEqual([3, 'Thinner rings', null])
  expect((await olivia.ask('locks')).locks).toEqual([])
  return objects[0].object_id
}

/** The library knows by now who reviewed it, and the round on the older version is over with the new one. */
async function askAgainAndApprove({ olivia, mia }: Omit<People, 'max'>, { first, third }: { first: Json; third: number }) {
  const { error } = await olivia.ask('review request SM_Barrel', 2)
  expect(error.details.suggestions).toMatchObject([{ user: { name: 'mia' }, reasons: ['reviewed'] }])
  const { reviews } = await olivia.ask('review request SM_Barrel --reviewer mia --note "As you said"')
  const [{ request }] = reviews
  expect(request.object_id).toBe(third)
  const late = await mia.ph(`review approve r${first.id}`, 5)
  expect(late.stderr.replaceAll(/\s+/g, ' ')).toContain('This review is closed: it was superseded.')
  await mia.ph('review approve SM_Barrel --note "Great"')
  const report = await mia.ask('review show SM_Barrel')
  expect(report).toMatchObject({
    ...{ request: { id: request.id, status: 'completed' }, review: { state: 'approved', decided_by: { name: 'mia' } } },
    ...{ version: { object_id: third, review_status: 'approved' }, other_requests: [{ id: first.id, status: 'superseded' }] },
  })
  return request as Json
}

/** Nothing waits for anyone, and everyone sees the same two rounds. */
async function queuesAgree(people: People, rounds: Json[]): Promise<void> {
  for (const person of Object.values(people)) {
    const { requests, waiting } = await person.ask('review list --status all')
    expect([requests.map(({ id }: Json) => id), waiting]).toEqual([rounds.map(({ id }) => id), 0])
    expect(requests.map(({ status }: Json) => status)).toEqual(['completed', 'superseded'])
    expect((await person.ask('review list')).requests).toEqual([])
  }
}

/** Each of them heard of what others did, once, and of nothing that they did themselves. */
async function notificationsAgree({ olivia, mia, max }: People, { first, next }: { first: Json; next: Json }): Promise<void> {
  const heard = async (person: Worker) =>
    (await person.ask('notifications')).notifications.map(({ reason, actor, request_id }: Json) => [
      ...[reason, actor.name, request_id],
    ])
  expect(await heard(olivia)).toEqual([
    ['review.responded', 'mia', next.id],
    ['review.responded', 'mia', first.id],
  ])
  expect(await heard(mia)).toEqual([
    ['review.requested', 'olivia', next.id],
    ['review.requested', 'olivia', first.id],
  ])
  expect(await heard(max)).toEqual([['review.mention', 'olivia', first.id]])
}

interface Told {
  prop: Prop
  second: number
  third: number
  first: Json
  next: Json
}

/** The activity tells it in order; the change feed names every review and lock that a client has to read again. */
async function feedsAgree(library: ReturnType<typeof callAs>, { prop, second, third, first, next }: Told): Promise<void> {
  const { events } = (await library.get(`/activity?lineage_id=${prop.lineage_id}&limit=200`)).body
  const told = events.toReversed().map(({ event_type, actor, object_id, payload }: Json) => {
    const { state, response, request_id } = payload
    return [event_type, actor.name, object_id, state ?? response ?? null, request_id ?? null]
  })
  const ofReviews = told.filter(([type]: Json) => !/^(push|download)/.test(type))
  expect(ofReviews).toEqual([
    ['annotation.create', 'olivia', second, null, null],
    ['review.change', 'olivia', second, 'in_review', first.id],
    ['review.request', 'olivia', second, null, first.id],
    ['review.change', 'mia', second, 'changes_requested', first.id],
    ['review.response', 'mia', second, 'changes_requested', first.id],
    ['lock.acquire', 'olivia', second, null, null],
    ['lock.release', 'olivia', third, null, null],
    ['review.change', 'olivia', third, 'in_review', next.id],
    ['review.request', 'olivia', third, null, next.id],
    ['review.change', 'mia', third, 'approved', next.id],
    ['review.response', 'mia', third, 'approved', next.id],
  ])
  const { changes } = (await library.get('/catalog/changes?cursor=0&limit=1000')).body
  const changed = (entity: string) => changes.filter((one: Json) => one.entity === entity).map((one: Json) => one.entity_id)
  expect(new Set(changed('review'))).toEqual(new Set([second, third]))
  expect(new Set(changed('lock')).size).toBe(1)
}

/** One check-out, by Olivia, which she gave back; the version of the check-in is the current one. */
async function locksAgree(library: ReturnType<typeof callAs>, { prop, third }: { prop: Prop; third: number }): Promise<void> {
  const { locks } = (await library.get(`/locks?lineage_id=${prop.lineage_id}`)).body
  expect(locks).toMatchObject([{ holder: { name: 'olivia' }, note: 'Thinner rings', active: false }])
  expect(locks[0].released_at).not.toBeNull()
  const entry = (await library.get(`/entries/${prop.id}`)).body
  expect(entry).toMatchObject({ object_id: third, review_status: 'approved', review: { decided_by: { name: 'mia' } } })
}
