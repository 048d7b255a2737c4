// Workspaces never mix: an id of another workspace is answered exactly as an id that nobody has, at every route of the contract.
import { expect, test } from 'vitest'
import { allRoutes } from '../../contract/index.ts'
import { inputLocations, type Route } from '../../contract/route.ts'
import { callAs, type Json } from '../support/api.ts'
import { glbOf, pngOf } from '../support/media.ts'
import { item, manifestOf, pushed } from '../support/push.ts'
import { startTestServer } from '../support/server.ts'

const server = await startTestServer({ webhookAllowPrivate: true })
const [ours, theirs] = [await server.addWorkspace(), await server.addWorkspace()]
type Ids = Record<
  | 'entry_id'
  | 'object_id'
  | 'lineage_id'
  | 'content_hash'
  | 'artifact_id'
  | 'user_id'
  | 'pack_id'
  | 'job_id'
  | 'denylist_id'
  | 'tag_id'
  | 'collection_id'
  | 'project_id'
  | 'comment_id'
  | 'attachment_id'
  | 'annotation_id'
  | 'request_id'
  | 'lock_id'
  | 'webhook_id'
  | 'set',
  Json
>
type Name = keyof Ids

const geometry = { x: 0, y: 0, w: 1, h: 1 }

/** One of everything that has an id. */
async function filled({ url, keys }: typeof ours): Promise<Ids> {
  const [mia, adam] = [callAs(url, keys.mia), callAs(url, keys.adam)]
  const [{ entry_id, object_id, lineage_id, content_hash }] = await pushed(mia, [item()])
  const picture = await mia.put(`/entries/${entry_id}/thumbnail?object_id=${object_id}`, await pngOf(4, 4))
  const job = await mia.post('/pull-jobs', { target_project: 'Ours', entries: [{ entry_id }] })
  const denied = await adam.post('/admin/denylist', { kind: 'content_hash', value: item().content_hash })
  const ids = { artifact_id: picture.body.artifact_id, job_id: job.body.id, denylist_id: denied.body.id }
  const [pack] = (await mia.get('/packs')).body.packs
  const { id: user_id } = (await mia.get('/members/me')).body
  const [project] = (await mia.get('/projects')).body.projects
  const tag_id = (await mia.post('/tags', { name: 'Oak' })).body.id
  const collection_id = (await mia.post('/collections', { name: 'Tavern' })).body.id
  await mia.put(`/entries/${entry_id}/tags/${tag_id}`, undefined)
  await mia.put(`/collections/${collection_id}/entries/${entry_id}`, undefined)
  const comment_id = (await adam.post(`/entries/${entry_id}/comments`, { body: 'mine' })).body.id
  const attachment_id = (await adam.post('/attachments', await pngOf(4, 4), { 'content-type': 'image/png' })).body.id
  const drawing = { object_id, preview_artifact_id: ids.artifact_id, shape: 'rect', geometry }
  const annotation_id = (await adam.post(`/entries/${entry_id}/annotations`, drawing)).body.id
  const place = '/Game/__ExternalActors__/Maps/L_Inn/0/1A/AAA'
  const actor = item({ asset_class: 'StaticMeshActor', origin_path: place, entry: null })
  const parts = { base: null, put: [{ path: place, content_hash: actor.content_hash }] }
  const [level] = await pushed(mia, [item({ asset_class: 'World', origin_path: '/Game/Maps/L_Inn', parts }), actor])
  const [{ entry_id: reviewed, object_id: reviewedVersion }] = await pushed(mia, [item()])
  const asked = { object_id: reviewedVersion, reviewer_ids: [(await adam.get('/members/me')).body.id] }
  const request_id = (await mia.post(`/entries/${reviewed}/review-requests`, asked)).body.request.id
  const said = { comment_id, attachment_id, annotation_id, request_id }
  const curated = { tag_id, collection_id, project_id: project.id }
  const lock_id = (await mia.post('/locks', { lineage_id })).body.lock.id
  const hook = await adam.post('/admin/webhooks', { url: 'http://127.0.0.1:9/in', active: false })
  const webhook_id = hook.body.id
  return {
    entry_id,
    object_id,
    lineage_id,
    content_hash,
    user_id,
    pack_id: pack.id,
    lock_id,
    webhook_id,
    set: level?.parts.set,
    ...curated,
    ...said,
    ...ids,
  }
}

const own = await filled(ours)
const foreign = await filled(theirs)
const nobodys: Ids = {
  ...(Object.fromEntries(Object.keys(own).map((name) => [name, 987_654_321])) as Ids),
  lineage_id: 'lin_nobody',
  content_hash: 'f'.repeat(64),
}

/** What a route is asked, apart from ids that it takes by their own name. */
function inputOf(route: Route, ids: Ids): Json {
  const version = { entry_id: ids.entry_id, object_id: ids.object_id }
  const media = { ...version, kind: 'thumbnail' }
  const known: Json = {
    ...ids,
    items: [route.path.endsWith('/finalize') ? { ...media, artifact_id: ids.artifact_id } : media],
    entries: [version],
    entry_ids: [ids.entry_id],
    lineage_ids: [ids.lineage_id],
    lock_ids: [ids.lock_id],
    holder: ids.user_id,
    content_hashes: [ids.content_hash],
    pack: ids.pack_id,
    requested_by: ids.user_id,
    target_project: 'Ours',
    project_key: 'Ours',
    engine_version: '5.4.0',
    claim_token: 'x'.repeat(40),
    parent_id: ids.comment_id,
    attachment_ids: [ids.attachment_id],
    preview_artifact_id: ids.artifact_id,
    ...{ reviewer_ids: [ids.user_id], add_reviewer_ids: [ids.user_id], assignee_id: ids.user_id, assign_to: ids.user_id },
    ...(route.path.endsWith('/review') ? { state: 'in_review' } : {}),
    ...(route.path.endsWith('/respond') ? { response: 'changes_requested' } : {}),
    ...{ body: 'x', emoji: '👍', shape: 'rect', geometry },
    ...(route.path.startsWith('/pull-jobs/') ? { status: 'running' } : {}),
    ...(route.path.endsWith('/bulk') ? { action: route.path.includes('variant') ? 'group' : 'add', category: 'Props' } : {}),
    ...(route.method === 'PATCH' ? { name: 'Renamed' } : {}),
    ...(route.path.startsWith('/admin/webhooks/') ? { format: 'slack', since: '2026-01-01' } : {}),
  }
  if (route.path.endsWith('/restore')) delete known.set
  // An order takes entries or a collection, never both.
  if (route.input?.properties.entries) delete known.collection_id
  return Object.fromEntries(
    Object.keys(route.input?.properties ?? {}).flatMap((name) => (name in known ? [[name, known[name]]] : [])),
  )
}

async function ask(route: Route, input: Json): Promise<{ status: number; text: string }> {
  const places = inputLocations(route)
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name) => input[name])
  const query = new URLSearchParams(
    places.query.flatMap((name): [string, string][] => (name in input ? [[name, String(input[name])]] : [])),
  )
  const isPicture = route.path.endsWith('/thumbnail')
  const body = route.raw
    ? isPicture
      ? await pngOf(4, 4)
      : glbOf()
    : JSON.stringify(Object.fromEntries(places.body.flatMap((name) => (name in input ? [[name, input[name]]] : []))))
  const hasBody = route.method !== 'GET' && route.method !== 'DELETE'
  const type = route.raw ? route.raw.types?.[0] : 'application/json'
  const response = await fetch(`${ours.url}/api/v1${path}?${query}`, {
    method: route.method,
    redirect: 'manual',
    headers: {
      authorization: `Bearer ${ours.keys.adam}`,
      ...(hasBody && type ? { 'content-type': type } : {}),
    },
    ...(hasBody ? { body: typeof body === 'string' ? body : new Uint8Array(body) } : {}),
  })
  return { status: response.status, text: await response.text() }
}

const withoutIds = (text: string, ids: Ids) =>
  Object.values(ids).reduce((all: string, id) => all.replaceAll(new RegExp(`\\b${id}\\b`, 'g'), '#'), text)

/** The ids that a request of this route carries, by name. */
const namesIn = (route: Route): Name[] => {
  const asked = JSON.stringify(inputOf(route, Object.fromEntries(Object.keys(own).map((name) => [name, `@${name}@`])) as Ids))
  return (Object.keys(own) as Name[]).filter((name) => asked.includes(`@${name}@`))
}

/** Bytes are anybody's to bring; manifests have a test of their own. An editor may be busy with whatever it says. */
const apart = new Set(['blobs.put', 'push.negotiate', 'push.commit', 'editorSessions.heartbeat'])
const walked = allRoutes.filter(([noun, verb, route]) => !apart.has(`${noun}.${verb}`) && namesIn(route).length > 0)

/** What is not there is left out of the answer, or named in it as what was not done. */
const leavesOut = new Set(['/entries/find', '/lineages/find', '/entries/search/image', '/entries/media/unavailable'])

test.for(walked.map(([noun, verb, route]) => ({ name: `${noun}.${verb}`, route })))(
  '$name knows no id of another workspace',
  async ({ route }) => {
    const before = await libraryOf(theirs)
    const isList = route.method === 'GET' && !route.path.includes('{')
    for (const name of namesIn(route)) {
      const [unknown, other] = [
        { ...own, [name]: nobodys[name] },
        { ...own, [name]: foreign[name] },
      ]
      const nobody = await ask(route, inputOf(route, unknown))
      const another = await ask(route, inputOf(route, other))
      expect([name, another.status, withoutIds(another.text, other)]).toEqual([
        name,
        nobody.status,
        withoutIds(nobody.text, unknown),
      ])
      const isAnswered = isList || leavesOut.has(route.path)
      if (!isAnswered) expect([name, another.status]).toEqual([name, statusOf(route, name)])
      expect(another.text).not.toContain(String(foreign.lineage_id).slice(0, name === 'lineage_id' ? 0 : undefined) || '\0')
    }
    expect(await libraryOf(theirs)).toEqual(before)
  },
)

/**
 * The drawings of a version that the entry does not have are none, and a picture has to be one of the version. A review of a version that
 * is not the current one, whatever it is, is a conflict (spec 4.5).
 */
function statusOf({ method, path }: Route, name: Name): number {
  if (/\/review(-requests)?$/.test(path) && name === 'object_id') return 409
  if (!path.endsWith('/annotations')) return 404
  if (method === 'GET' && name === 'object_id') return 200
  return name === 'artifact_id' ? 422 : 404
}

async function libraryOf({ url, keys }: typeof theirs): Promise<Json> {
  const adam = callAs(url, keys.adam)
  const paths = [
    '/entries',
    `/entries/${foreign.entry_id}`,
    `/entries/${foreign.entry_id}/annotations`,
    `/attachments/${foreign.attachment_id}`,
    '/activity',
    '/review-requests',
    '/packs',
    '/pull-jobs',
    '/projects',
    '/tags',
    '/collections',
    `/collections/${foreign.collection_id}`,
    '/admin/denylist',
    '/admin/webhooks',
    `/admin/webhooks/${foreign.webhook_id}/deliveries`,
    '/catalog/changes',
    '/locks',
    '/locks?active=true',
  ]
  return Promise.all(paths.map(async (path) => (await adam.get(path)).body))
}

test('a pull of a collection of another workspace is answered as one that nobody has', async () => {
  const mia = callAs(ours.url, ours.keys.mia)
  for (const path of ['/pull-jobs', '/pull-jobs/plan'])
    for (const collection_id of [foreign.collection_id, nobodys.collection_id]) {
      const { status, body } = await mia.post(path, { target_project: 'Ours', collection_id })
      expect([status, body.error.code]).toEqual([404, 'COLLECTION_NOT_FOUND'])
    }
})

test('a manifest knows nothing of another workspace: no pack, lineage, version, bytes or group', async () => {
  const mia = callAs(ours.url, ours.keys.mia)
  const made = item()
  const manifests = (ids: Ids): Json[] => [
    manifestOf([made], { pack_id: ids.pack_id }),
    manifestOf([made], { variant_groups: [{ ref: 'a', id: ids.pack_id }] }),
    manifestOf([{ ...made, stamped_lineage_id: ids.lineage_id }]),
    manifestOf([{ ...made, stamped_lineage_id: own.lineage_id, stamped_base_hash: ids.content_hash }]),
    manifestOf([{ ...made, attach_to_lineage: ids.lineage_id }]),
    manifestOf([{ ...made, dependencies: [{ content_hash: ids.content_hash }] }]),
    manifestOf([{ ...made, content_hash: ids.content_hash }]),
  ]
  for (const path of ['/push/negotiate', '/push/commit'])
    for (const [index, manifest] of manifests(foreign).entries()) {
      const [another, nobody] = [await mia.post(path, manifest), await mia.post(path, manifests(nobodys)[index])]
      const told = (answer: typeof nobody, ids: Ids) =>
        withoutIds(JSON.stringify(answer.body).replaceAll(/"upload_url":"[^"]*"|"x-amz-checksum-sha256":"[^"]*"/g, ''), ids)
      expect([path, index, another.status, told(another, foreign)]).toEqual([path, index, nobody.status, told(nobody, nobodys)])
    }
})
