/**
 * Words of a text, as they are searched (contract-gaps 6). One rule for what is found and for what is asked:
 *
 * - A word is a run of letters or of digits. It ends at everything else, at a camel-case boundary (`OldBarrel`, `HTTPServer`), and
 *   where letters and digits meet: `Barrel01`, `Barrel_01` and `barrel 01` say the same two words. `01` is not `1`.
 * - Case, accents, width and ligatures are folded: `É`, `ß`, `İ`, `ı`, `ς`, `ﬁ`, `Ａ`, `ł` read `e`, `ss`, `i`, `i`, `σ`, `fi`, `a`, `l`.
 *   Vowel signs that are letters to their readers (Devanagari, Thai, kana) stay.
 * - Scripts written without spaces (Han, kana, Thai, Lao, Khmer, Burmese) give a word per character.
 * - A pictograph is a word. What cannot be seen (joiners, marks of direction, variation selectors) is not there; anything else,
 *   halves of surrogate pairs and NUL included, only separates.
 */

const beyondAscii = /[\u0080-\uffff]/

/** Marks that accent a letter or sign a vowel that may be left out, and what is never seen; but not the voicing of kana. */
const unseen =
  /[[[\p{Mn}\p{Me}]&&[\p{Script=Inherited}\p{Script=Hebrew}\p{Script=Arabic}]]--[\u3099\u309A]]|[\p{Cf}\p{Variation_Selector}]/gv

const unspaced =
  '[[\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Bopo}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Mymr}]&&[\\p{L}\\p{Nl}]]'
const spacedLetter = `[[\\p{L}\\p{M}]--${unspaced}]`
const wordOrRun = new RegExp(
  [
    `(?<unspaced>(?:${unspaced}\\p{M}*)+)`,
    `\\p{Lu}+(?![${spacedLetter}--\\p{Lu}])`,
    `\\p{Lu}?[${spacedLetter}--\\p{Lu}]+`,
    '\\p{N}+',
    '[\\p{Extended_Pictographic}\\p{RI}]',
  ].join('|'),
  'gv',
)
const character = /.\p{M}*/gsv

/** Letters of their own that people type without: no decomposition of Unicode leads from the one to the other. */
const plainLetters: Record<string, string> = {
  ς: 'σ',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  ħ: 'h',
  ŧ: 't',
  þ: 'th',
  æ: 'ae',
  œ: 'oe',
}
const ownLetter = new RegExp(`[${Object.keys(plainLetters).join('')}]`, 'g')

/** The words of a text, in order, folded. Any string is a text; the work grows with its length. */
export function wordsOf(text: string): string[] {
  if (!beyondAscii.test(text)) return asciiWords(text)
  const visible = text.normalize('NFKD').replace(unseen, '').normalize('NFC')
  return [...visible.matchAll(wordOrRun)].flatMap(({ 0: run, groups }) =>
    groups?.unspaced ? (run.match(character) ?? []).map(fold) : [fold(run)],
  )
}

/** What separates, small letters, capitals and digits, by code. */
const [gap, small, capital, digit] = [0, 1, 2, 3]
const kinds = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code)
  return /[a-z]/.test(character) ? small : /[A-Z]/.test(character) ? capital : /[0-9]/.test(character) ? digit : gap
})

/** The same rule for most names there are, without an expression: a million of them are split while a library is read. */
function asciiWords(text: string): string[] {
  const folded = text.toLowerCase()
  const words: string[] = []
  let start = 0
  let before = gap
  for (let at = 0; at <= text.length; at++) {
    const kind = at < text.length ? (kinds[text.charCodeAt(at)] as number) : gap
    if (kind === before) continue
    // The last of some capitals belongs to the small letters that follow it.
    const end = before === capital && kind === small ? at - 1 : at
    if (before !== gap && end > start) words.push(folded.slice(start, end))
    if (before === gap || end > start) start = end
    before = kind
  }
  return words
}

/** By way of the capitals: that is where `ß`, `ı` and `ſ` meet those they are looked for by. */
const fold = (word: string): string =>
  word
    .toLowerCase()
    .toUpperCase()
    .toLowerCase()
    .replace(ownLetter, (letter) => plainLetters[letter] ?? letter)
