/** Rules of the pages: what they show stands in the code, and where they point there is something. */
import { existsSync, readFileSync } from 'node:fs'
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

test('pictures of a page are there, in light and dark, small, and show nothing of the machine on which they were made', () => {
  const shown = pages.flatMap((page) =>
    matchesIn(page, /\b(?:src|srcset)="[^"]+"/g).map((text) => ({ page, path: /"(.+)"/.exec(text)?.[1] ?? '' })),
  )
  expect(shown.map(({ path }) => path)).toEqual(
    expect.arrayContaining(['docs/pictures/show-light.svg', 'docs/pictures/show-dark.svg']),
  )
  for (const { page, path } of shown) {
    const picture = readFileSync(join(root, dirname(page), path), 'utf8')
    expect([path, picture.length < 60_000, /\/(tmp|home|root|Users)\b/.test(picture)]).toEqual([path, true, false])
  }
})
