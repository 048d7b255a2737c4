/**
 * People who lock, release, push and restore the same things at the same moment, over two server processes on one PostgreSQL: one winner,
 * nobody waits in a circle, and the feeds tell of all that happened. Exact orders of statements by a wire to the database.
 */
import { beforeAll, expect, test } from 'vitest'
import { type Answer, type Caller, callAs, type Json } from '../support/api.ts'
import { eventsOf, headOf, lockChangesSince, lockIt, locksOf, newProp, nextOf, ok, type Prop } from '../support/check-out.ts'
import { someoneWaits } from '../support/lock-waits.ts'
import { isPostgres, postgresOnly } from '../support/postgres-only.ts'
import { item, manifestOf, pushed, upload } from '../support/push.ts'
import { byHand, newKey, type TestServer } from '../support/server.ts'
import { startServerProcess } from '../support/server-process.ts'
import type { StatementWire } from '../support/statement-wire.ts'
import { interrupted, startWiredServer } from '../support/wired-server.ts'

const race = test.runIf(isPostgres)
/** Where every writer holds the lineages that it is about to change. */
const holding = /select held\.id/
const peopleCount = 50

let server: TestServer
let wire: StatementWire
let mia: Caller
let max: Caller
let adam: Caller
/** Fifty people, one half of them at this server, the other at another process. */
let people: Caller[]

beforeAll(async () => {
  if (!isPostgres) return
  ;({ server, wire } = await startWiredServer(byHand))
  const names = Array.from({ length: peopleCount }, (_, at) => `person${at}`)
  const members = names.map((name) => ({ email: `${name}@team.test`, name, display_name: name, role: 'member' as const }))
  const home = await server.addWorkspace()
  const keys = names.map((name) => ({ name, member: `${name}@team.test`, scope: 'write' as const, key: newKey() }))
  await server.changeWorkspace(home.slug, { members, keys })
  const other = await startServerProcess(['--data', server.dataDir], {
    env: {
      PH_DATABASE_URL: String(server.settings.databaseUrl),
      PH_RATE_LIMIT_REQUESTS: '1000000',
      PH_RATE_LIMIT_PUSH: '1000000',
    },
  })
  const second = home.url.replace(server.url, other.url)
  people = keys.map(({ key }, at) => callAs(at % 2 ? second : home.url, key))
  ;[mia, max, adam] = [callAs(home.url, home.keys.mia), callAs(second, home.keys.max), callAs(second, home.keys.adam)]
  return async () => {
    await other.stop()
  }
}, 120_000)

const statuses = (answers: readonly Answer[]) => answers.map(({ status }) => status).sort()
const heldBy = async (prop: Prop): Promise<Json[]> => locksOf(mia, prop, '&active=true')

race('of fifty people who lock one lineage at once one gets it, and the others are told who', postgresOnly, async () => {
  for (let round = 0; round < 3; round++) {
    const prop = await newProp(mia)
    const cursor = await headOf(mia)
    const answers = await Promise.all(people.map((who) => who.post('/locks', { lineage_id: prop.lineage_id })))
    expect(statuses(answers)).toEqual([201, ...Array(peopleCount - 1).fill(409)])
    const lock = answers.find(({ status }) => status === 201)?.body.lock
    for (const { status, body } of answers) if (status === 409) expect(body.error.details.lock).toEqual(lock)
    expect(await heldBy(prop)).toEqual([lock])
    expect(await eventsOf(mia, prop, 'lock.acquire')).toHaveLength(1)
    expect(await lockChangesSince(mia, cursor)).toEqual([`${lock.id} upsert ${prop.lineage_id}`])
  }
})

race(
  'batches that name the same lineages in all orders: each is whole or nothing, and nobody waits in a circle',
  postgresOnly,
  async () => {
    const results = await pushed(
      mia,
      Array.from({ length: 30 }, () => item({ entry: null })),
    )
    const ids = results.map(({ lineage_id }) => lineage_id as string)
    const batchOf = (at: number) => {
      const part = ids.filter((_, index) => (index + at) % 3 > 0)
      return at % 2 ? part : part.toReversed()
    }
    for (let round = 0; round < 3; round++) {
      const answers = await Promise.all(
        people.slice(0, 16).map((who, at) => who.post('/locks/batch', { lineage_ids: batchOf(at) })),
      )
      const won = answers.flatMap(({ status, body }) => (status === 201 ? [body.locks] : []))
      expect(new Set(statuses(answers))).toEqual(new Set([201, 409]))
      const active = ok(await mia.get('/locks?active=true&limit=200')).locks
      const taken = won.flat().map(({ lock }: Json) => lock.id)
      expect(active.filter(({ lineage_id }: Json) => ids.includes(lineage_id)).map(({ id }: Json) => id)).toEqual(
        taken.sort((a: number, b: number) => b - a),
      )
      ok(await adam.post('/locks/release', { lock_ids: taken }))
    }
  },
)

race(
  'one who releases, extends, and others who take, steal and release at once: one lock at a time, each told of once',
  postgresOnly,
  async () => {
    const prop = await newProp(mia)
    for (let round = 0; round < 8; round++) {
      const lock = await lockIt(mia, prop)
      const lineage_ids = [prop.lineage_id]
      const answers = await Promise.all([
        mia.del(`/locks/${lock.id}`),
        adam.del(`/locks/${lock.id}`),
        mia.post('/locks', { lineage_id: prop.lineage_id }),
        ...people.slice(0, 6).map((who) => who.post('/locks', { lineage_id: prop.lineage_id })),
        adam.post('/locks/batch', { lineage_ids, steal: { reason: 'now' } }),
      ])
      for (const { status, body } of answers) expect([200, 201, 204, 409], JSON.stringify(body)).toContain(status)
      const [open] = await heldBy(prop)
      if (open) ok(await adam.del(`/locks/${open.id}`), 204)
      const all = await locksOf(mia, prop, '&limit=200')
      expect(all.filter(({ active }) => active)).toEqual([])
      for (const [type, at] of [
        ['lock.acquire', 'created_at'],
        ['lock.release', 'released_at'],
      ] as const) {
        const told = (await eventsOf(mia, prop, type)).map(({ payload }) => payload.lock_id)
        expect(told.sort()).toEqual(
          all
            .filter((one) => one[at])
            .map(({ id }) => id)
            .sort(),
        )
      }
    }
  },
)

race('a push to a lineage whose lock is given back at that moment comes before or after that, whole', postgresOnly, async () => {
  for (let round = 0; round < 10; round++) {
    const prop = await newProp(mia)
    const lock = await lockIt(mia, prop)
    const versions = [nextOf(prop), nextOf(prop)]
    await upload(max, versions)
    const [first, released, second] = await Promise.all([
      max.post('/push/commit', manifestOf([versions[0] as Json])),
      mia.del(`/locks/${lock.id}`),
      adam.post('/push/commit', manifestOf([versions[1] as Json])),
    ])
    ok(released, 204)
    const results = [first, second].map((answer) => ok(answer).results[0])
    for (const { status } of results) expect(['new', 'locked']).toContain(status)
    const made = results.filter(({ status }) => status === 'new').map(({ object_id }) => object_id)
    const { objects, lock: left } = ok(await mia.get(`/lineages/${prop.lineage_id}`))
    expect(objects.map(({ object_id }: Json) => object_id)).toEqual([...made.sort((a, b) => b - a), prop.object_id])
    expect(left).toBeNull()
    expect(await eventsOf(mia, prop, 'push.commit')).toHaveLength(1 + made.length)
    expect(await eventsOf(mia, prop, 'lock.release')).toHaveLength(1)
  }
})

race('the end of a lock, recorded by two servers while others lock and push, is told of once', postgresOnly, async () => {
  for (let round = 0; round < 5; round++) {
    const prop = await newProp(mia)
    await lockIt(mia, prop)
    const next = nextOf(prop)
    await upload(max, [next])
    // The other process looks by itself, and has a clock of its own: the end is put where it is over for both.
    await server.database.sql`
      update locks set expires_at = ${new Date(Date.now() - 1).toISOString()} where lineage_id = ${prop.lineage_id} and ended_at is null`
    const [, pushedNow, ...locked] = await Promise.all([
      server.work.look(),
      max.post('/push/commit', manifestOf([next])),
      ...people.slice(0, 6).map((who) => who.post('/locks', { lineage_id: prop.lineage_id })),
    ])
    expect(statuses(locked)).toEqual([201, 409, 409, 409, 409, 409])
    expect(['new', 'locked']).toContain(ok(pushedNow).results[0].status)
    expect(await eventsOf(mia, prop, 'lock.expire')).toHaveLength(1)
    expect(await heldBy(prop)).toHaveLength(1)
  }
})

race('a push that had read no lock, and was overtaken by one, is locked', postgresOnly, async () => {
  const prop = await newProp(mia)
  const next = nextOf(prop)
  await upload(mia, [next])
  const answer = await interrupted(wire, {
    request: () => mia.post('/push/commit', manifestOf([next])),
    before: holding,
    meanwhile: async () => {
      await lockIt(max, prop)
    },
  })
  expect(ok(answer).results).toMatchObject([{ status: 'locked', lock: { holder: { name: 'max' } } }])
})

race(
  'a push, and a restore, that come while a lock is being taken wait for it, and are stopped by it',
  postgresOnly,
  async () => {
    const prop = await newProp(mia)
    const [next = {}] = await pushed(mia, [nextOf(prop)])
    const third = nextOf(prop)
    await upload(max, [third])
    let waiting: Promise<Answer>[] = []
    const answer = await interrupted(wire, {
      request: () => mia.post('/locks', { lineage_id: prop.lineage_id }),
      before: /insert into locks/,
      meanwhile: async () => {
        waiting = [
          max.post('/push/commit', manifestOf([third])),
          max.post(`/entries/${prop.entry_id}/restore`, { object_id: prop.object_id }),
        ]
        await someoneWaits(server.database.sql)
      },
    })
    ok(answer, 201)
    const [pushedLate, restored] = await Promise.all(waiting)
    expect(ok(pushedLate as Answer).results).toMatchObject([{ status: 'locked' }])
    expect(restored).toMatchObject({ status: 409, body: { error: { code: 'LOCKED' } } })
    expect(await heldBy(prop)).toMatchObject([{ base_object_id: next.object_id }])
  },
)

race('a lock that is taken while the holder’s lineage is deleted finds none', postgresOnly, async () => {
  const prop = await newProp(mia)
  const answer = await interrupted(wire, {
    request: () => mia.post('/locks', { lineage_id: prop.lineage_id }),
    before: holding,
    meanwhile: async () => {
      ok(await adam.del(`/entries/${prop.entry_id}`), 204)
    },
  })
  expect(answer).toMatchObject({ status: 404, body: { error: { code: 'LINEAGE_NOT_FOUND' } } })
})
