/** Commands as people type them. A line breaks between words only: half an option is no option. */
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
      <span className="word">{word}</span>
    </Fragment>
  ))
