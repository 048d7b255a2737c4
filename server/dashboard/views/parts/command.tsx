/** Commands as people type them. A line breaks between words, never inside one; an address too long for a line breaks behind a slash. */
import { Fragment } from 'react'

/** One that stands by itself, to be copied. */
export const Command = ({ words }: { words: string }) => (
  <code className="command">
    <Words words={words} />
  </code>
)

/** One within a sentence or a table. */
export const Typed = ({ words }: { words: string }) => (
  <code>
    <Words words={words} />
  </code>
)

const Words = ({ words }: { words: string }) =>
  [...words.matchAll(/\S+/g)].map(({ 0: word, index }) => (
    <Fragment key={index}>
      {index > 0 && ' '}
      <span className="word">{/^https?:/.test(word) ? <Address words={word} /> : word}</span>
    </Fragment>
  ))

const Address = ({ words }: { words: string }) =>
  [...words.matchAll(/(https?:\/\/)?[^/]+\/?/g)].map(({ 0: part, index }) => (
    <span className="word" key={index}>
      {part}
    </span>
  ))
