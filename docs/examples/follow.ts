// Tells of every change of the catalog as it happens: node follow.js position.json. Stopped and started again, it goes on where it was.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { openLibrary } from '@prop-house/client'
import { type FollowingChanges, followChanges } from '@prop-house/client/changes'

const [file = 'position.json'] = process.argv.slice(2)
const stop = new AbortController()
process.once('SIGINT', () => stop.abort()).once('SIGTERM', () => stop.abort())
const library = await openLibrary()
try {
  const position: Pick<FollowingChanges, 'cursor' | 'epoch'> = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
  const tell = (state: { away: Error } | 'back') => console.error(state === 'back' ? 'The server is back.' : state.away.message)
  for await (const page of followChanges(library.api, { ...position, expand: true, signal: stop.signal, tell })) {
    if (page.reset) console.log('Everything may have changed: load it anew.')
    for (const { op, entity, entity_id, record } of page.changes)
      console.log(`${op} ${entity} ${entity_id} ${record && 'name' in record ? record.name : ''}`)
    // Kept behind what was dealt with, so that nothing is left out when this ends in between.
    writeFileSync(file, JSON.stringify({ cursor: page.cursor, epoch: page.epoch }))
  }
} catch (error) {
  if (!stop.signal.aborted) throw error
} finally {
  await library.close()
}
