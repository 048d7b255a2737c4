/** Rules of the pages: what they show stands in the code, and where they point there is something. */
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { matchesIn, projectFiles, root, textOf } from './project.ts'

const pages = projectFiles.filter((path) => path.endsWith('.md'))

test('code that a page shows, with the file named in its first line, stands in that file word for word', () => {
  const shown = pages.flatMap((page) =>
    [...textOf(page).matchAll(/^```\w+\n(?:\/\/|--|#) (\S+\/\S+)\n([\s\S]*?)^```$/gm)].map(([, file = '', code = '']) => ({
      page,
      file,
      code,
    })),
  )
  expect(shown.length).toBeGreaterThan(0)
  const stale = shown.filter(({ file, code }) => !existsSync(join(root, file)) || !textOf(file).includes(code))
  expect(stale.map(({ page, file, code }) => `${page} shows what ${file} does not hold: ${code.split('\n')[0]}`)).toEqual([])
})

test('nobody is told to run the program through npx: outside of a checkout that is another package of this name', () => {
  const readByPeople = projectFiles.filter((path) => /\.(md|tsx?|mjs)$/.test(path) && path !== 'test/house/pages.test.ts')
  expect(readByPeople).toEqual(
    expect.arrayContaining(['README.md', 'server/dashboard/views/home.tsx', 'cli/commands/demo.ts', 'bin/ph.mjs']),
  )
  expect(readByPeople.flatMap((path) => matchesIn(path, /\bnpx (-\S+ )*(ph|prop-house)\b/g))).toEqual([])
})

test('every link of a page into the repository leads to a file', () => {
  const broken = pages.flatMap((page) =>
    [...textOf(page).matchAll(/\]\((?!\w+:|#)([^)#\s]+)/g)]
      .map(([, link = '']) => link)
      .filter((link) => !existsSync(join(root, dirname(page), link)))
      .map((link) => `${page} points to ${link}`),
  )
  expect(broken).toEqual([])
})
