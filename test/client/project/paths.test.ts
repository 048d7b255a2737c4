/** From what a person names to the project it lies in, also through links. */
import { mkdirSync, realpathSync, renameSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findNamedPaths, placeInProject } from '../../../client/project/paths.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

/** A project whose Content folder lies on another disk, which is no project. */
function linkedProject() {
  const root = realpathSync(temporaryFolder({ 'Inn.uproject': '{}', 'Content/Props/SM_Stool.uasset': 'one' }))
  const disk = join(realpathSync(temporaryFolder()), 'Inn Content')
  renameSync(join(root, 'Content'), disk)
  symlinkSync(disk, join(root, 'Content'))
  return { root, disk, stool: join(root, 'Content/Props/SM_Stool.uasset') }
}

test('a Content folder that is a link to another disk is the one of its project, for the folder, a file and everything between', () => {
  const { root, stool } = linkedProject()
  for (const path of [root, join(root, 'Content'), join(root, 'Content/Props'), stool])
    expect(findNamedPaths([path])).toMatchObject({ root, starts: [{ path }] })
  expect(findNamedPaths([stool]).starts[0]?.mount).toMatchObject({ name: '/Game', assumed: false })
})

test('a link into a project leads to it, and one within it to where its file really lies', () => {
  const { root, stool } = linkedProject()
  const desk = realpathSync(temporaryFolder())
  symlinkSync(root, join(desk, 'inn'))
  expect(placeInProject(join(desk, 'inn/Content/Props/SM_Stool.uasset'))).toBe(stool)
  mkdirSync(join(root, 'Sets'))
  symlinkSync(join(root, 'Sets'), join(root, 'Also sets'))
  expect(placeInProject(join(root, 'Also sets'))).toBe(join(root, 'Sets'))
})

test('what a linked folder holds of another project is of that one', () => {
  const { root } = linkedProject()
  const other = realpathSync(temporaryFolder({ 'Mill.uproject': '{}', 'Content/SM_Wheel.uasset': 'one' }))
  symlinkSync(other, join(root, 'Mill'))
  const wheel = join(root, 'Mill/Content/SM_Wheel.uasset')
  expect(findNamedPaths([wheel])).toMatchObject({ root: other, starts: [{ path: join(other, 'Content/SM_Wheel.uasset') }] })
})
