# All commands of the product, such as worker and sandbox; the arguments are those of `payouts`.
# Needs glibc: the native core of the Temporal SDK does not run on Alpine.
FROM node:24.22.2-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund

FROM node:24.22.2-bookworm-slim
ENV NODE_ENV=production PAYOUTS_HOME=/var/lib/payouts
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY package.json LICENSE NOTICE ./
COPY bin bin
COPY scripts scripts
COPY src src
# The workflow bundles are built here, so that a worker starts fast and needs no write access to its code.
RUN npm run build:workflows \
 && install -d -o node -g node -m 700 /var/lib/payouts
USER node
VOLUME /var/lib/payouts
ENTRYPOINT ["node", "/app/bin/payouts.mjs"]
CMD ["--help"]
