/** Installing `ph`: what is needed, one command, and what helps on each system. */
import { Command } from './parts/command.tsx'
import { type Frame, Page } from './parts/frame.tsx'

/** Words of commands, as a shell takes them. */
export interface InstallWords {
  tarball: string
  address: string
}

interface InstallProps {
  frame: Frame
  commands: InstallWords
  /** Whether others on the way can read and change what comes from this address. */
  isOpen: boolean
}

export function InstallPage({ frame, commands, isOpen }: InstallProps) {
  return (
    <Page frame={frame} title="Install ph">
      <h1>Install ph</h1>
      <p className="lead">
        <code>ph</code> is the program that brings props into this library and into your projects. This server hands out the
        version that fits it.
      </p>
      {isOpen && (
        <p className="note warn" role="note">
          This address is plain HTTP: the program, your key and your files travel unencrypted, and others on the way can read and
          change them. Ask who runs the server for an https:// address.
        </p>
      )}
      <section className="sheet">
        <ol className="steps">
          <li>
            <h2>Install it</h2>
            <p className="soft">It takes npm, which comes with Node.js; see below for your system.</p>
            <Command words={`npm install -g ${commands.tarball}`} />
          </li>
          <li>
            <h2>Sign in</h2>
            <p className="soft">It shows a code, and you approve it in the browser.</p>
            <Command words={`ph login --url ${commands.address}`} />
          </li>
          <li>
            <h2>Keep it up to date</h2>
            <p className="soft">
              <code>ph</code> says when this server has a newer one.
            </p>
            <Command words="ph update" />
          </li>
        </ol>
      </section>
      <div className="trio">
        <Windows />
        <Mac />
        <Linux />
      </div>
      <OwnFolder tarball={commands.tarball} />
    </Page>
  )
}

function Windows() {
  return (
    <section className="sheet">
      <h2>Windows</h2>
      <p>Install Node.js from nodejs.org, or in PowerShell with this command. Then open a new window, and install ph.</p>
      <Command words="winget install OpenJS.NodeJS.LTS" />
      <p className="soft">
        Does PowerShell say that scripts are disabled? Write <code>npm.cmd</code> for <code>npm</code>, and <code>ph.cmd</code>{' '}
        for <code>ph</code>, or use the Command Prompt.
      </p>
    </section>
  )
}

function Mac() {
  return (
    <section className="sheet">
      <h2>macOS</h2>
      <p>Install Node.js 24 or newer from nodejs.org, or with Homebrew. Then install ph.</p>
      <Command words="brew install node" />
    </section>
  )
}

function Linux() {
  return (
    <section className="sheet">
      <h2>Linux</h2>
      <p>Any Node.js from version 18 on will do, as on Debian and Ubuntu: ph brings the one that it runs on. Then install ph.</p>
      <Command words="sudo apt install nodejs npm" />
    </section>
  )
}

/** Where the folder of npm belongs to the system. */
function OwnFolder({ tarball }: { tarball: string }) {
  return (
    <section className="sheet">
      <h2>When npm says EACCES</h2>
      <p>
        On macOS and Linux, the folder of npm may belong to the system. Then install ph into a folder of your own, and add its
        programs to the PATH. On macOS, write <code>~/.zprofile</code> for <code>~/.profile</code>.
      </p>
      <Command words={`npm install -g --prefix ~/.local ${tarball}`} />
      <Command words={`echo 'PATH=$HOME/.local/bin:$PATH' >> ~/.profile`} />
    </section>
  )
}
