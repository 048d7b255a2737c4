/**
 * Words of texts and of questions as tokens of the index, so that what is found is what the server finds (words/query-words.ts): a typed
 * word is found wherever adjoining words, written together, begin with it. `Old Barrel 01` is written `old.` `barrel.` `01.` for its whole
 * words, and `oldbarrel01` `barrel01` for what is written together from each word on. All of it is folded already: SQLite splits at
 * spaces only.
 */
import type { Clause } from '../../words/query-words.ts'
import { wordsOf } from '../../words/tokenizer.ts'

/** What is longer is told apart by looking at the texts themselves. */
export const longestToken = 64

const cut = (text: string): string => text.slice(0, longestToken)

export const tokensOf = (text: string): string => tokensOfWords(wordsOf(text))

export function tokensOfWords(words: readonly string[]): string {
  let tokens = ''
  let together = ''
  for (let at = words.length - 1; at >= 0; at--) {
    const word = words[at] as string
    tokens += `${cut(word)}. `
    const longer = cut(word + together)
    if (together !== '') tokens += `${longer} `
    together = longer
  }
  return tokens
}

/** Besides its words a name has a token for all of it, and tags one for each tag: no word begins with a dot. */
export function nameTokens(name: string): string {
  const words = wordsOf(name)
  return `${tokensOfWords(words)}.n${cut(words.join(''))}`
}

export const tagTokens = (tags: readonly { id: number; name: string }[]): string =>
  tags.map(({ id, name }) => `${tokensOf(name)}.t${id} `).join('')

const quoted = (token: string): string => `"${token}"`

/** Of questions to the index: a field of it, and what stands in there. */
export interface TokenQuery {
  /** The clause said by whole words. */
  whole: string
  /** Said by a beginning at least; undefined where only whole words count. */
  begun: string | undefined
  /** The index may find too much: the texts tell. */
  isRough: boolean
}

export function queryOf({ words, open }: Clause): TokenQuery {
  const typed = words.join('')
  if (open) {
    const token = cut(typed)
    return {
      whole: `(${quoted(token)} OR ${quoted(`${token}.`)})`,
      begun: `${quoted(token)} *`,
      isRough: typed.length > longestToken,
    }
  }
  const parts = [...new Set(words)].map((word) => quoted(`${cut(word)}.`))
  return { whole: `(${parts.join(' AND ')})`, begun: undefined, isRough: words.length > 1 || typed.length > longestToken }
}

/** The names that say just these words. */
export const wholeNameQuery = (words: readonly string[]): string => `name : ${quoted(`.n${cut(words.join(''))}`)}`

export const tagQuery = (ids: readonly number[]): string => `tags : (${ids.map((id) => quoted(`.t${id}`)).join(' OR ')})`
