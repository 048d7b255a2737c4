/** An answer that was written before: JSON in UTF-8, as the route's output says. */
export class WrittenJson {
  readonly bytes: Buffer

  constructor(bytes: Buffer) {
    this.bytes = bytes
  }
}
