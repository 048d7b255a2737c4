/** Every route of the contract can be asked with `ph api`: it arrives as the contract says, whatever its body and its answer are. */
import { expect, test } from 'vitest'
import { allRoutes, apiBase } from '../../../contract/index.ts'
import { inputLocations, type Route } from '../../../contract/route.ts'
import { answer, type Heard, startPeer } from '../../support/peer.ts'
import { ph, signedIn } from '../../support/ph.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

/** What a server answers that has nothing to say, in the form that the route promises. */
function emptyAnswer({ answers }: Route) {
  if (answers === 'redirect') return answer(302, '', { location: '/bytes' })
  if (answers === 'ndjson') return answer(200, '{"end":true,"entries":0}\n', { 'content-type': 'application/x-ndjson' })
  if (answers === 'events') return answer(200, 'event: head\ndata: {"seq":0}\n\n', { 'content-type': 'text/event-stream' })
  return answer(200, {})
}

/** The route with a value for each of its fields, as it is typed and as it arrives. */
async function asked(route: Route): Promise<{ code: number; stderr: string; heard: Heard[]; path: string }> {
  const { url, heard } = await startPeer(emptyAnswer(route))
  const cwd = temporaryFolder({ 'body.bin': Buffer.from('{}') })
  const path = route.path.replaceAll(/\{\w+\}/g, '7')
  const { query, body } = inputLocations(route)
  const fields = [...query, ...body].flatMap((key) => ['-F', `${key}=x`])
  const bytes = route.raw ? ['--input', 'body.bin'] : []
  const { code, stderr } = await ph(['api', route.method, path, ...fields, ...bytes], { env: signedIn(url, 'key'), cwd })
  return { code, stderr, heard, path }
}

test.each(allRoutes.map(([noun, verb, route]) => [`${noun}.${verb}`, route] as const))('%s', async (_name, route) => {
  const { code, stderr, heard, path } = await asked(route)
  expect([code, stderr]).toEqual([0, ''])
  const { method, url, headers, body } = heard[0] as Heard
  const at = new URL(url, 'http://peer')
  expect([method, at.pathname]).toEqual([route.method, `${apiBase}${path}`])
  const wanted = inputLocations(route)
  expect([...at.searchParams.keys()].toSorted()).toEqual(wanted.query.toSorted())
  if (route.raw) {
    expect(body).toBe('{}')
    if (route.raw.types) expect(route.raw.types).toContain(headers['content-type'])
  } else if (wanted.body.length > 0) expect(Object.keys(JSON.parse(body)).toSorted()).toEqual(wanted.body.toSorted())
})

test('a picture is sent as what it is, JPEG or PNG, where a route takes both', async () => {
  const { url, heard } = await startPeer(answer(200, {}))
  const cwd = temporaryFolder({ jpeg: Buffer.from([0xff, 0xd8, 0xff]), png: Buffer.from([0x89, 0x50, 0x4e]) })
  for (const file of ['jpeg', 'png']) await ph(`api /entries/search/image --input ${file}`, { env: signedIn(url, 'key'), cwd })
  expect(heard.map(({ headers }) => headers['content-type'])).toEqual(['image/jpeg', 'image/png'])
})
