"""Credentials are found by their shape; what only looks like one is left alone.

The values are put together here so that no file of ours holds one.
"""

import base64
import random
import string

import pytest

from gardener.text.secrets import find_secrets, mask

_random = random.Random(7)


def drawn(count: int, alphabet: str = string.ascii_letters + string.digits) -> str:
    """A value of that length with every class of the alphabet in it."""
    return "".join(_random.choice(alphabet) for _ in range(count - 3)) + "a7Q"[: min(3, count)]


HEX = "0123456789abcdef"


def hexed(count: int) -> str:
    return "".join(_random.choice(HEX) for _ in range(count))


def made() -> dict[str, str]:
    """Kind → one planted value. Built from parts."""
    upper = string.ascii_uppercase + "234567"
    return {
        "aws-access-key": "AK" + "IA" + "".join(_random.choice(upper) for _ in range(16)),
        "github-token": "gh" + "p_" + drawn(36),
        "gitlab-token": "glp" + "at-" + drawn(20),
        "slack-token": "xo" + "xb-" + drawn(24),
        "slack-webhook": "https://hooks.sl" + "ack.com/services/" + drawn(30),
        "discord-webhook": "https://disc" + "ord.com/api/webhooks/998877665544/" + drawn(40),
        "discord-token": "M" + drawn(23) + "." + drawn(6) + "." + drawn(27),
        "stripe-key": "sk" + "_live_" + drawn(24),
        "anthropic-key": "sk-" + "ant-" + drawn(40),
        "openai-key": "sk-" + "proj-" + drawn(44),
        "google-api-key": "AI" + "za" + drawn(35),
        "google-oauth": "GOC" + "SPX-" + drawn(28),
        "npm-token": "np" + "m_" + drawn(36),
        "pypi-token": "pypi" + "-AgE" + drawn(60),
        "huggingface-token": "h" + "f_" + drawn(34),
        "sendgrid-key": "S" + "G." + drawn(22) + "." + drawn(43),
        "mailgun-key": "ke" + "y-" + hexed(32),
        "twilio-key": "S" + "K" + hexed(32),
        "telegram-token": "123456789" + ":AA" + drawn(33),
        "digitalocean-token": "do" + "p_v1_" + hexed(64),
        "vault-token": "hv" + "s." + drawn(30),
        "shopify-token": "shp" + "at_" + hexed(32),
        "databricks-token": "da" + "pi" + hexed(32),
        "linear-key": "lin_" + "api_" + drawn(40),
        "notion-token": "nt" + "n_" + drawn(44),
        "postman-key": "PM" + "AK-" + hexed(24) + "-" + hexed(34),
        "newrelic-key": "NR" + "AK-" + drawn(27),
        "grafana-token": "gl" + "sa_" + drawn(40),
        "sentry-token": "snt" + "rys_" + drawn(60),
        "supabase-token": "sb" + "p_" + hexed(40),
        "planetscale-token": "pscale" + "_tkn_" + drawn(43),
        "doppler-token": "dp" + ".pt." + drawn(43),
        "atlassian-token": "ATA" + "TT3" + drawn(60),
        "groq-key": "gs" + "k_" + drawn(52),
        "replicate-token": "r" + "8_" + drawn(37),
        "age-key": "AGE-SECRET" + "-KEY-1" + "".join(_random.choice(upper) for _ in range(58)),
        "azure-key": "Account" + "Key=" + drawn(86) + "==",
        "jwt": "ey" + "J" + drawn(20) + ".ey" + "J" + drawn(40) + "." + drawn(43),
        "authorization": drawn(40),
        "password": "t7#Kq" + drawn(7) + "!x",
        "key": drawn(32),
    }


SENTENCES = {
    "authorization": "curl -H 'Authorization: Bearer {}'",
    "password": "the database password is `{}` on staging",
    "key": 'api_key = "{}"',
}


@pytest.mark.parametrize("kind", list(made()))
def test_each_kind_is_found_and_masked_whole(kind: str) -> None:
    value = made()[kind]
    text = f"Before.\n{SENTENCES.get(kind, 'use {} for it')} and more.\n".replace("{}", value)
    found = find_secrets(text)
    assert [secret.kind for secret in found] == [kind]
    assert value not in mask(text)
    assert mask(text).startswith("Before.\n")


def test_a_connection_string_loses_its_password_alone() -> None:
    text = "postgres://app:" + "s9Kd82hq" + "@db.internal:5432/main"
    assert mask(text) == "postgres://app:[redacted password]@db.internal:5432/main"


def test_the_same_value_is_one_wherever_it_stands() -> None:
    text = "The password is hunter2-Xy9.\nLog in with hunter2-Xy9 at night.\n"
    assert len(find_secrets(text)) == 2
    assert "hunter2" not in mask(text)


def test_a_private_key_is_one_entry_a_line() -> None:
    text = "> -----BEGIN OPENSSH " + "PRIVATE KEY-----\n> " + drawn(60) + "\n> -----END OPENSSH PRIVATE KEY-----\nafter"
    assert mask(text) == "> [redacted private-key]\n> [redacted private-key]\n> [redacted private-key]\nafter"


@pytest.mark.parametrize(
    "text",
    [
        "password: changeme",
        "the password is in the vault under team/database",
        "token: ${GITHUB_TOKEN}",
        "api_key=<your-key>",
        "AKIAIOSFODNN7EXAMPLE",
        "sk-your-key-goes-here-and-is-long-enough",
        "commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
        "sha256: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "id: 01JNZ3JY4001SXWJ1MJ2N6Q7BZ",
        "session 550e8400-e29b-41d4-a716-446655440000",
        "token budget: 200000",
        "tokens: 128k",
        "the key is design-tokens/colors.json",
        "secret: os.environ['KEY_1']",
        "password = getpass.getpass()",
        "key: value",
        "The token is validated in auth/session.py:42",
        "https://user:pass@example.com/",
        "postgres://user:password@localhost/db",
        "Authorization: Bearer <token>",
        "passphrase: correct-horse-battery-staple",
        "the API key is read from API_KEY_V2",
        "secrets: scanned nightly",
        "pass: 12 fail: 3",
        "the credential is *swapped* at the gate, the token is **shared by** and the secret is a\n*tenant-level* one",
        "the secret is _never-shown_ and the password is ~~dropped~~",
        "sk-learn and task-runner-1 are fine, so is risk-assessment-2024-final-version-of-the-plan",
        "node_type: memory, originSessionId: 91e965a6-879a-472c-b4bf-bdd6681f8fbe",
    ],
)
def test_what_only_looks_like_one_is_left_alone(text: str) -> None:
    assert find_secrets(text) == ()


@pytest.mark.parametrize(
    "text",
    [
        "the password `hashRounds12` is a setting, so is the token `color-bg-200`",
        "the token `oauth2Token` and the secret `sha256-hex`",
        "the password `DB_PASSWORD_2` comes from the vault",
        "password `$APP_PASSWORD`, token `${CI_TOKEN_2}`, secret `<random string 1>`",
        "password reset is at /reset2?step=1#top and the password policy asks for 14+Aa1",
        "secret acme/Ledger2#123 and token docs/Login2.md#Log-in",
        "the api key `9f86d081884c7d659a2feaa0` is a hash, the token `#1F77b4c2` a colour",
        "the session token 01jnz3jy4001sxwj1mj2n6q7bz is an id",
        "Passwort: steht im Tresor unter Kasse-2. Kennwort vergessen? Frau Brandt fragen.",
        "Das Passwort lautet wie immer. Kennwort = geheimnisvoll",
        "Passwort: `<dein-passwort-1>`, Kennwort: dein-kennwort-1",
        "Zugangsdaten: siehe `vault/kasse2/login`",
        "Zugang: kasse01 / steht im Tresor; login: alice / correct-horse-battery-staple",
        "credentials: docs / Sso2Setup, login: GET / api/v2/Login2",
        "pw: siehe-tresor, pass 12 of 14 tests, pass b2b-tests-1",
        "compass: N42-E11-b7, bypass = Route2!a7 is no word of ours",
        "curl -u user:password https://x.example; curl -u $NAME:$PASSWORD_2 https://y.example",
        "curl -u user:<password1> https://x.example; curl --user name:${PASS_1}x https://y.example",
        "curl -u : --negotiate https://x.example/a:b1-c2-d3-e4",
        "mysql -u root -p shop; mysql -P3306 -prootroot; mysqldump --protocol=tcp shop2-db-1",
        "mysql -p$MYSQL_PWD_2 shop; mkdir -p build/Out2/x86; grep mysql | tail -p1a2b3c4d5",
        "sshpass -p $SSH_PASS_1 ssh box; sshpass -f ~/.pass-2 ssh box",
        "docker login -p $TOKEN_2 -u ci; redis-cli -a changeme-1",
        "PGPASSWORD=$DB_PASS_1 psql; MYSQL_PWD=${PW_2} mysql; PGPASSWORD=changeme-2",
        "| user | password |\n|---|---|\n| kasse | siehe Tresor |\n| till2 | required |\n| c | bcrypt-12 |",
        "| token | value |\n|---|---|\n| color-bg-200 | #1f77b4 |\n| font2Size-3 | 12px |",
        "| password | strength |\n|---|---|\n\nNo row of it: `t7x9q2w4`.",
        "| name | hash |\n|---|---|\n| a | t7x9q2w4 |",
        "Token 0xdAC17F958D2ee523a2206206994597C13D831ec7 is a coin; password \u2192 PBKDF2-SHA256",
        "| token | address |\n|---|---|\n| 0xdAC17F958D2ee523a2206206994597C13D831ec7 | main |",
        "the tokens of a call are `max_tokens=4096`",
        "WLAN-Schlüssel: steht an der Tafel; the wifi key is on-the-board-2.example.com",
        "the password for the till is kept-in-safe-2, the token of the mailer: see-vault-3",
    ],
)
def test_ordinary_words_about_one_are_left_alone(text: str) -> None:
    assert find_secrets(text) == ()


@pytest.mark.parametrize(
    "said",
    [
        "`curl -u deploy:{} https://x.example`",
        "curl -s --user deploy:{} https://x.example",
        "curl -sSu 'deploy:{}' \\\n  https://x.example",
        "curl -X POST \\\n  -u deploy:{} https://x.example",
        "http -a deploy:{} x.example",
        "mysql -u root -p{} shop",
        "mysqldump --all-databases -p'{}' > dump",
        "mariadb-dump -uroot -p{} shop",
        'sshpass -p "{}" ssh box',
        "docker login -u ci -p {} registry.example",
        "redis-cli -h box -a {} ping",
        "ldapsearch -x -D cn=admin -w {} -b dc=x",
        "smbclient //box/share -U 'scan%{}'",
        "wget --password={} ftp://x.example",
        "tool --password {} --force",
        "PGPASSWORD={} psql -h box",
        "MYSQL_PWD={} mysql shop",
        "dbPassword = '{}'",
        "SECRET_KEY_BASE={}",
        "user ci, password `{}`",
        "log in as ci with password {}",
        'the deploy token "{}" is shared',
        "Passwort: {}",
        "Das Passwort lautet {}.",
        "Das Passwort für die Kasse ist `{}`",
        'Kennwort = "{}"',
        "- **Kennwort:** {}",
        "Zugangsdaten: kasse01 / {}",
        "root login of the box: root / {}",
        "login: admin / pw: {}",
        "user admin pass {}",
        "The password (root) is {}",
        "The api key for the mailer: {}",
        "WLAN Büro, Schlüssel: {}",
        "the password is password: {}",
        "The token (see the secret: {})",
        "| user | password |\n|:--|--:|\n| kasse | `{}` |",
        "user | Passwort | room\n--- | --- | ---\na | x | 1\nkasse | {} | 4",
        "| key | value |\n|---|---|\n| password | {} |",
        "> | admin token |\n> |---|\n> | {} |",
    ],
)
def test_one_is_found_in_ordinary_words(said: str) -> None:
    value = made()["password"]
    found = find_secrets(said.replace("{}", value))
    assert len(found) == 1
    assert value not in mask(said.replace("{}", value))


@pytest.mark.parametrize(
    "said",
    [
        "password `{}`, second password `[]`",
        "pw: {}, token: []",
        "curl -u a:{} b && mysql -p[] c",
        "| pw | {} | pw | [] |",
    ],
)
def test_each_of_two_in_one_line_is_found(said: str) -> None:
    one, two = made()["password"], made()["password"]
    assert len(find_secrets(said.replace("{}", one).replace("[]", two))) == 2


def test_a_dollar_sign_within_one_begins_no_variable() -> None:
    assert len(find_secrets("password: " + "kT9$" + "wLm2xQ")) == 1
    assert find_secrets("password: app1$user2, password: pre-1-$NAME2, password: pre-1-$camelCase") == ()


def jwt(claims: str) -> str:
    parts = (base64.urlsafe_b64encode(part.encode()).decode().rstrip("=") for part in ('{"alg":"HS256"}', claims))
    return ".".join([*parts, drawn(43)])


def test_the_token_that_every_text_shows_is_no_secret() -> None:
    for claims in ('{"sub":"1234567890"}', '{"name": "John Doe", "iat": 1516239022}'):
        assert find_secrets(f"the sample is {jwt(claims)}") == ()
    for claims in ('{"sub":"12345678901"}', '{"sub":"ledger"}', '{"name":"Jane Roe"}'):
        assert [one.kind for one in find_secrets(f"the sample is {jwt(claims)}")] == ["jwt"]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"password": "Vk3nQz21\\"Lm88xx"}', 'Vk3nQz21\\"Lm88xx'),
        ("openssl enc -k Vk3nQz28Lm / -pass pass:Vk3nQz28Lm", "Vk3nQz28Lm"),
    ],
)
def test_the_whole_value_goes_and_goes_everywhere(text: str, value: str) -> None:
    assert value in text
    assert {text[one.start : one.end] for one in find_secrets(text)} == {value}
    assert value not in mask(text)
