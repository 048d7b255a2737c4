/** docs/promises.md names the tests that prove it: each of them has to be there. */
import { expect, test } from 'vitest'
import { projectFiles, textOf } from './project.ts'

const promises = textOf('docs/promises.md')

test('every test that a promise names is there', () => {
  const named = [...promises.matchAll(/`(test\/[^`]+\.test\.ts)`/g)].map(([, path = '']) => path)
  expect(named.length).toBeGreaterThan(30)
  expect(named.filter((path) => !projectFiles.includes(path))).toEqual([])
})

test('every promise says where it ends', () => {
  const sections = promises.split(/^## /m).filter((section) => /^\d/.test(section))
  expect(sections.length).toBeGreaterThan(3)
  expect(sections.filter((section) => !section.includes('**Where it ends.**'))).toEqual([])
})
