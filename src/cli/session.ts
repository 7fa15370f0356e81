import type { Client } from '@temporalio/client';
import type { Bank } from '../api/bank.ts';
import { type Config, loadConfig } from '../config.ts';
import { bankAt, bankMark } from '../runtime/bank.ts';
import { embeddedParts } from '../runtime/embedded.ts';
import { openStack, type Stack, type StackPorts } from '../stack/open-stack.ts';
import { lastUiUrl } from '../stack/stack-file.ts';
import { openStore } from '../store/open.ts';
import type { Store } from '../store/store.ts';
import { connectTemporal, type TemporalConnection } from '../temporal/connection.ts';
import type { UiPlace } from './batch-report.ts';
import { createOutput, type Output } from './output.ts';

/** What a command has at hand; parts are opened when first asked for and closed together. */
export class Session implements AsyncDisposable {
  readonly config: Config;
  readonly output: Output;
  private opened: AsyncDisposable[] = [];
  private storeOpened: Store | undefined;
  private stackOpened: Stack | undefined;

  constructor(options: { json: boolean }) {
    this.config = loadConfig();
    this.output = createOutput(options);
  }

  /** The store, without a check of its identity: for reading. */
  async store(): Promise<Store> {
    if (this.storeOpened === undefined) {
      const store = await openStore(this.config.storeUrl.reveal());
      this.storeOpened = store;
      this.opened.push({ [Symbol.asyncDispose]: () => store.close() });
    }
    return this.storeOpened;
  }

  /** The stack this command works on: joined when one is up, else booted as `mode` allows. */
  async stack(mode: 'serve' | 'join-or-boot' | 'join-only', ports?: StackPorts): Promise<Stack> {
    if (this.stackOpened === undefined) {
      const { config } = this;
      // Another bank or namespace than the store's is refused before anything is booted.
      const store = await this.store();
      const known = await store.identity();
      if (known !== undefined) await store.identify({ bank: bankMark(config), namespace: known.namespace });
      const stack = await openStack(config, { ...embeddedParts(config, this.output), mode, ports });
      this.stackOpened = stack;
      this.opened.push({ [Symbol.asyncDispose]: () => stack.close() });
      await store.identify({ bank: bankMark(config), namespace: stack.namespace });
    }
    return this.stackOpened;
  }

  async client(stack: Stack): Promise<Client> {
    const connection: TemporalConnection = await connectTemporal(this.config, stack);
    this.opened.push({ [Symbol.asyncDispose]: () => connection.close() });
    return connection.client;
  }

  bank(stack: Pick<Stack, 'apiUrl'>): Bank {
    const bank = bankAt(this.config, stack.apiUrl);
    this.opened.push({ [Symbol.asyncDispose]: () => bank.close() });
    return bank;
  }

  /** Where links point: the given UI, the stack's, or the one this home used last. */
  async ui(): Promise<UiPlace> {
    const { config } = this;
    const namespace = this.stackOpened?.namespace ?? (await this.storeOpened?.identity())?.namespace ?? 'default';
    const url = config.uiUrl ?? this.stackOpened?.uiUrl ?? (await lastUiUrl(config.home)) ?? 'http://localhost:8233';
    return { url: url.replace(/\/+$/, ''), namespace };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const part of this.opened.splice(0).reverse()) await part[Symbol.asyncDispose]();
  }
}
