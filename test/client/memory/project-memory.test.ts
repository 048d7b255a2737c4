/** The memory of a project: files whose bytes came from the library, and memories of an older layout. */
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { ProjectMemory } from '../../../client/memory/project-memory.ts'
import type { Base } from '../../../client/project/known-file.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const about = { address: 'http://library.test', root: '/project' }
const [hashA, hashB] = ['a'.repeat(64), 'b'.repeat(64)]
const base = (hash: string, objectId = 7): Base => ({
  hash,
  guid: null,
  assetClass: 'StaticMesh',
  lineageId: 'l1',
  objectId,
  entryId: 3,
})
const placed = (hash: string) => ({
  file: 'Content/SM_A.uasset',
  stat: 's',
  hash,
  size: 5,
  packageName: '/game/sm_a',
  base: base(hash),
  linked: false,
})
const opaque = { kind: 'opaque', ext: 'uasset', isPackage: true, undescribed: null } as const

function memoryAt(path: string): ProjectMemory {
  return new ProjectMemory(path, about)
}

test('a file that was put into place has a base and no facts until a push reads it', () => {
  const memory = memoryAt(join(temporaryFolder(), 'state.sqlite'))
  memory.savePlaced([placed(hashA)])
  expect(memory.find('Content/SM_A.uasset')).toMatchObject({ facts: null, settled: false, hash: hashA, base: base(hashA) })
  memory.saveRead([
    { file: 'Content/SM_A.uasset', stat: 's2', hash: hashB, size: 6, packageName: '/game/sm_a', guid: 'G', facts: opaque },
  ])
  expect(memory.find('Content/SM_A.uasset')).toMatchObject({ facts: opaque, hash: hashB, base: base(hashA) })
  memory.close()
})

test('what a push found in the same bytes outlives a pull of them, and nothing of other bytes does', () => {
  const memory = memoryAt(join(temporaryFolder(), 'state.sqlite'))
  const read = {
    file: 'Content/SM_A.uasset',
    stat: 's',
    hash: hashA,
    size: 5,
    packageName: '/game/own',
    guid: 'G',
    facts: opaque,
  }
  memory.saveRead([read])
  memory.saveBased([{ file: read.file, hash: hashA, base: { ...base(hashA), guid: 'G' }, edges: 'e' }])
  memory.settle([read])
  memory.savePlaced([placed(hashA)])
  const same = memory.find(read.file)
  expect(same).toMatchObject({ facts: opaque, guid: 'G', settled: true, edges: 'e', packageName: '/game/own' })
  expect(same?.base?.guid).toBe('G')
  memory.savePlaced([placed(hashB)])
  const other = memory.find(read.file)
  expect(other).toMatchObject({
    facts: null,
    guid: null,
    settled: false,
    edges: null,
    packageName: '/game/sm_a',
    base: base(hashB),
  })
  memory.close()
})

test('a memory of the first layout keeps everything that it knew, and tells the library once more of what it has sent', () => {
  const path = join(temporaryFolder(), 'state.sqlite')
  const old = new Database(path)
  old.exec(`
    create table file (file text not null primary key, stat text not null, hash text not null, size integer not null,
      settled integer not null default 0, package text, guid text, base_hash text, base_guid text, base_class text,
      lineage_id text, object_id integer, entry_id integer, edges text, facts text not null) without rowid;
    create index file_package on file (package) where package is not null;
    create index file_guid on file (guid) where guid is not null;
    create index file_object on file (object_id) where object_id is not null;
    create index file_entry on file (entry_id) where entry_id is not null;
    create table remembered (key text not null primary key, value text not null) without rowid;
    insert into file values ('Content/SM_A.uasset', 's', '${hashA}', 5, 1, '/game/sm_a', 'G', '${hashA}', 'G', 'StaticMesh', 'l1', 7, 3,
      'e', '${JSON.stringify(opaque)}');
    insert into remembered values ('root', '/project'), ('facts_version', '1'), ('feed', '{"cursor":5,"head":null}');
    pragma user_version = 1;`)
  old.close()
  const memory = memoryAt(path)
  expect(memory.find('Content/SM_A.uasset')).toMatchObject({
    settled: false,
    stat: 's',
    facts: opaque,
    base: { ...base(hashA), guid: 'G' },
  })
  expect(memory.recall('feed')).toEqual({ cursor: 5, head: null })
  memory.savePlaced([{ ...placed(hashB), file: 'Content/SM_B.uasset' }])
  expect(memory.findByPackage('/game/sm_a').map(({ file }) => file)).toEqual(['Content/SM_A.uasset', 'Content/SM_B.uasset'])
  memory.close()
})

test('a pull that did not end is remembered with what it was about to put into place, until it is forgotten', () => {
  const path = join(temporaryFolder(), 'state.sqlite')
  const memory = memoryAt(path)
  const file = { contentHash: hashA, file: 'Content/SM_A.uasset', identity: 'm', item: { asset_name: 'SM_A' } }
  memory.pulls.keep([{ jobId: 4, claimToken: null, ordered: 'o' }], new Date(0))
  memory.pulls.keep([{ jobId: 4, claimToken: 'token', ordered: 'o' }], new Date(1))
  memory.pulls.intend(4, [file])
  memory.close()
  const later = memoryAt(path)
  expect(later.pulls.list()).toEqual([{ jobId: 4, claimToken: 'token', ordered: 'o' }])
  expect(later.pulls.intended(4)).toEqual([file])
  later.pulls.forget([4])
  expect([later.pulls.list(), later.pulls.intended(4)]).toEqual([[], []])
  later.close()
})

test('a push that was stopped and went on is one push: before it is the version from before its beginning', () => {
  const memory = memoryAt(join(temporaryFolder(), 'state.sqlite'))
  const pushed = (objectId: number, beforeObjectId: number | null, lineageId = 'l1') => ({
    ...{ lineageId, objectId, hash: `hash of ${objectId}`, beforeObjectId, entryId: 3 },
    ...{ file: 'Content/SM_A.uasset', name: 'SM_A', renamedFrom: null },
  })
  const run = (id: string) => ({ id, begunAt: '2026-01-01T00:00:00.000Z' })
  memory.lastPush.add(run('stopped'), { versions: [pushed(8, 7)], batchKeys: ['stopped'] })
  memory.lastPush.add(run('goes on'), { versions: [pushed(9, 8), pushed(10, null, 'l2')], batchKeys: ['goes on'] })
  memory.lastPush.end(run('goes on'))
  expect(memory.lastPush.read()?.versions).toEqual([pushed(10, null, 'l2'), pushed(9, 7)])
  memory.lastPush.add(run('another'), { versions: [pushed(11, 9)], batchKeys: ['another'] })
  expect(memory.lastPush.read()?.versions).toEqual([pushed(11, 9)])
  memory.close()
})
