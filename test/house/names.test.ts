/** Rules of naming: kebab-case nouns, and no drawer that anything could be put into. */
import { expect, test } from 'vitest'
import { codeFiles, matchesIn, programFiles, projectFiles, textOf } from './project.ts'

const stem = (path: string): string => (path.split('/').at(-1) ?? '').split('.')[0] ?? ''

test('files and folders are named in kebab-case', () => {
  const kebab = /^[a-z0-9]+(-[a-z0-9]+)*$/
  const odd = codeFiles.filter((path) => ![...path.split('/').slice(0, -1), stem(path)].every((name) => kebab.test(name)))
  expect(odd.filter((path) => !/^test\/.*\/README\.md$|^bench\/README\.md$/.test(path))).toEqual([])
})

test('no file or folder is a drawer: each is named for the one concept it holds', () => {
  const drawers = new Set(['util', 'utils', 'helper', 'helpers', 'common', 'lib', 'types', 'misc', 'shared'])
  const found = projectFiles.filter((path) => [...path.split('/').slice(0, -1), stem(path)].some((name) => drawers.has(name)))
  expect(found).toEqual([])
})

test('only contract/ has an index.ts: everywhere else an import names the file it means', () => {
  expect(codeFiles.filter((path) => stem(path) === 'index' && path !== 'contract/index.ts')).toEqual([])
})

test('a type is named for what it is, not for the role every type has', () => {
  const empty = /\b(class|interface|type) \w*(Manager|Service|Helper|Util|Utils|Impl|Dto|Data|Info)\b(?=[^:])/g
  expect(programFiles.flatMap((path) => matchesIn(path, empty))).toEqual([])
})

test('the unit and the tree say the same words: a test of server/library/x stands in test/server', () => {
  const places =
    /^test\/(house|previews|support|stories|contract|system|formats|words|client|server|cli|agent|mcp|sample|bench)\//
  expect(codeFiles.filter((path) => path.startsWith('test/') && path.endsWith('.test.ts') && !places.test(path))).toEqual([])
})

test('files and what they export say the words of the field: outcomes, destinations, query, request, scoring, audit log', () => {
  const invented = /\b(?:fates?|landings?|strangers?|sift|deeds?|desk|census|legs?|weighing|pour|gather\w*|asked|wanted)\b/i
  const programs = programFiles.filter((path) => !/^(test|bench|sample)\//.test(path))
  const exported = /^export (?:async )?(?:const|function\*?|class|interface|type) (\w+)/gm
  const named = programs.flatMap((path) => {
    const names = [stem(path), ...[...textOf(path).matchAll(exported)].map(([, name = '']) => name)]
    const words = names.map((name) => name.replaceAll(/([a-z])([A-Z])/g, '$1 $2').replaceAll('-', ' '))
    return words.filter((name) => invented.test(name)).map((name) => `${path}: ${name}`)
  })
  expect(named).toEqual([])
})

// Migrations that were released do not change, their comments neither.
test('comments, messages and pages say who, someone and fix, and outcome where they mean one', () => {
  const odd =
    /\b(?:whoever|somebody|mend(?:s|ed|ing)?|fates?|landings?|strangers?|sift(?:s|ed)?|deeds?|census|at a desk|before the door|as none)\b/gi
  const read = projectFiles.filter(
    (path) => /\.(tsx?|mjs|sql|sh|css|md|py)$/.test(path) && !/^(test|bench|sample)\/|^server\/database\/migrations\//.test(path),
  )
  expect(read.flatMap((path) => matchesIn(path, odd))).toEqual([])
})
