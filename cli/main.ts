/** The `ph` program: arguments in, exit code out. */

export async function main(args: string[]): Promise<void> {
  process.stdout.write(`${args.join(' ')}\n`)
}
