/**
 * Runs a module in a real browser with WebGPU: bundled by vite, served on this machine only, opened in the headless
 * Chromium that npm brings. What goes wrong in the page comes back as one error that says everything the page said.
 */
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { type Browser, chromium as playwright, type Page } from "playwright-core"
import { bundle } from "./bundle.ts"
import { chromium } from "./chromium.ts"

export interface Options {
  /** Milliseconds until the page is given up; a minute if not given. */
  readonly timeout?: number
}

const html = `<!doctype html><title>effect-kernels</title><link rel="icon" href="data:,"><script type="module" src="/page.js"></script>`

const serve = async (files: ReadonlyMap<string, string | Uint8Array>): Promise<Server> => {
  const server = createServer((request, response) => {
    const name = (request.url ?? "/").slice(1)
    const body = name === "" ? html : files.get(name)
    const type = name === "" ? "text/html" : name.endsWith(".js") ? "text/javascript" : "application/octet-stream"
    response.writeHead(body === undefined ? 404 : 200, { "content-type": type }).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return server
}

const launch = (): Promise<Browser> => {
  const { env, executable } = chromium()
  return playwright.launch({
    executablePath: executable,
    env: { ...process.env, ...env } as { [name: string]: string },
    args: ["--no-sandbox", "--enable-unsafe-webgpu"]
  })
}

/** What the page complains about, as it comes; `crashed` rejects when the page is gone. */
const listen = (page: Page) => {
  const complaints: Array<string> = []
  page.on("pageerror", (error) => complaints.push(`uncaught ${error.stack ?? error.message}`))
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(`console.error: ${message.text()}`)
  })
  const crashed = new Promise<never>((_, reject) => page.on("crash", () => reject(new Error("the page crashed"))))
  crashed.catch(() => undefined)
  return { complaints, crashed }
}

const expire = (milliseconds: number) => {
  let timer: NodeJS.Timeout | undefined
  const expired = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${milliseconds} ms`)), milliseconds)
  })
  expired.catch(() => undefined)
  return { expired, clear: () => clearTimeout(timer) }
}

const callMain = async (page: Page, url: string): Promise<unknown> => {
  await page.goto(url, { waitUntil: "load" })
  return page.evaluate(() => {
    const { main } = globalThis as { main?: () => unknown }
    if (main === undefined) throw new Error("the module did not load, or exports no `main`")
    return main()
  })
}

/**
 * What the exported `main()` of a module resolves to when it runs in the browser. Plain data and typed arrays come back as
 * they are, NaN and infinities included. Errors that the page throws, or logs as errors, reject.
 */
export const runInBrowser = async (entry: string, options: Options = {}): Promise<unknown> => {
  const server = await serve(await bundle(entry))
  const { clear, expired } = expire(options.timeout ?? 60_000)
  let browser: Browser | undefined
  const complaints: Array<string> = []
  try {
    browser = await launch()
    const page = await browser.newPage()
    const heard = listen(page)
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    const result = await Promise.race([callMain(page, url), heard.crashed, expired]).finally(() =>
      complaints.push(...heard.complaints)
    )
    if (complaints.length > 0) throw new Error("the page logged errors")
    return result
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause)
    throw new Error([`${entry} in the browser: ${message}`, ...complaints].join("\n"), { cause })
  } finally {
    clear()
    await browser?.close()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
}
