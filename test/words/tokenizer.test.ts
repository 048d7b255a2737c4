// How texts are split into words and folded, in any script (contract-gaps 6).
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { wordsOf } from '../../words/tokenizer.ts'

/** Texts, and the words they say. */
const said: [string, string][] = [
  ['SM_OldBarrel_01', 'sm old barrel 01'],
  ['old-barrel.final (2)', 'old barrel final 2'],
  ['HTTPServerLOD0', 'http server lod 0'],
  ['Barrel01', 'barrel 01'],
  ['barrel 01', 'barrel 01'],
  ['T_Rock4K', 't rock 4 k'],
  ["O'Neil 100% a\\b", 'o neil 100 a b'],
  ['', ''],
  [' \t\n_-–—!?"\'', ''],
  ['ÉcoleÉté', 'ecole ete'],
  ['E\u0301cole', 'ecole'],
  ['Straße STRASSE ẞ', 'strasse strasse ss'],
  ['İstanbul ISTANBUL ıstanbul istanbul', 'istanbul istanbul istanbul istanbul'],
  ['ΑΣ ας ΑΣΑ ασα', 'ασ ασ ασα ασα'],
  ['Ἀθῆναι', 'αθηναι'],
  ['Бочка ЁЖ ёж', 'бочка еж еж'],
  ['ﬁnale ﬀ ſ Ｂａｒｒｅｌ', 'finale ff s barrel'],
  ['Łódź Ørsted Ærø þing đ', 'lodz orsted aero thing d'],
  ['ǅungla DŽungla', 'dzungla d zungla'],
  ['木箱', '木 箱'],
  ['SM木箱01', 'sm 木 箱 01'],
  ['古い樽バレル', '古 い 樽 バ レ ル'],
  ['ﾊﾞﾚﾙ は ば', 'バ レ ル は ば'],
  ['나무통 상자', '나무통 상자'],
  ['ถังไม้', 'ถั ง ไ ม้'],
  ['हिन्दी', 'हिन्दी'],
  ['בְּרֵאשִׁית', 'בראשית'],
  ['مُحَمَّد ١٢', 'محمد ١٢'],
  ['🪑 chair 🪑🪑', '🪑 chair 🪑 🪑'],
  ['👩‍🚀 ☺️ 🇩🇪', '👩 🚀 ☺ 🇩 🇪'],
  ['so\u00adft \u200fעץ\u200e \ufeffbom', 'soft עץ bom'],
  ['a\0b', 'a b'],
  ['\ud83e barrel \udc51', 'barrel'],
  ['x² ½ ™', 'x 2 1 2 tm'],
]

test('a text is split at everything that is no letter or digit, at camel case, and where letters and digits meet; and folded', () => {
  for (const [text, words] of said) expect([text, wordsOf(text).join(' ')]).toEqual([text, words])
})

test('any text has words: of something, without gaps, and saying the same when they are split again', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: 'grapheme' }),
    fc.string({ unit: fc.nat(0xffff).map((unit) => String.fromCharCode(unit)) }),
  )
  const property = fc.property(text, (one) => {
    const words = wordsOf(one)
    expect(words.every((word) => word !== '' && word.isWellFormed() && !/\s/.test(word))).toBe(true)
    expect(wordsOf(words.join(' '))).toEqual(words)
  })
  fc.assert(property, { seed: 1, numRuns: 1000 })
})

test('plain text is split alike, whether or not another letter makes the long way necessary', () => {
  const property = fc.property(fc.string({ unit: 'grapheme-ascii', maxLength: 40 }), (text) => {
    expect(wordsOf(`${text} é`)).toEqual([...wordsOf(text), 'e'])
  })
  fc.assert(property, { seed: 2, numRuns: 500 })
})
