/** Decoders of pictures are reached in one way: each has one file that imports it, with the bounds in front of it. */
import { expect, test } from 'vitest'
import { importsOf, programFiles, textOf } from './project.ts'

/** `sample/` draws pictures of its own, `bin/` draws the mark. */
const programs = programFiles.filter((path) => !/^(test|bench|sample|bin)\//.test(path))
const importersOf = (name: string) =>
  programs.filter((path) => importsOf(path).some(({ specifier, kind }) => specifier === name && kind !== 'type'))

test('only one file loads sharp, and only one the decoder of OpenEXR', () => {
  expect(importersOf('sharp')).toEqual(['formats/pictures/decoding.ts'])
  expect(importersOf('parse-exr')).toEqual(['formats/exr/wavelets.ts'])
})

test('no other package that decodes pictures is imported', () => {
  const decoders =
    /^(pngjs|upng-js|jpeg-js|jimp|canvas|@napi-rs\/canvas|skia-canvas|utif|omggif|@jsquash\/|@img\/|image-js|ktx-parse|webp-)/
  const found = programs.flatMap((path) =>
    importsOf(path)
      .filter(({ specifier }) => decoders.test(specifier))
      .map(() => path),
  )
  expect(found).toEqual([])
})

test('what decodes bytes names its bounds', () => {
  const callers = programs.filter((path) => path !== 'formats/pictures/decoding.ts' && textOf(path).includes('decodePicture('))
  expect(callers.length).toBeGreaterThan(5)
  const unbounded = callers.filter((path) =>
    [...textOf(path).matchAll(/decodePicture\([^,]+,\s*\{\s*(\w+)/g)].some(([, first]) => first !== 'bounds'),
  )
  expect(unbounded).toEqual([])
})
