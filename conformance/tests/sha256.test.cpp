// SPDX-License-Identifier: Apache-2.0
// SHA-256 against the published vectors.
#include "conformance/util/sha256.hpp"

#include <catch2/catch_test_macros.hpp>
#include <string>

using namespace gathercheck;

TEST_CASE("SHA-256 of the messages that FIPS 180 publishes") {
    CHECK(sha256_hex("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    CHECK(sha256_hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    CHECK(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
          "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    CHECK(sha256_hex("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
                     "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu") ==
          "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
    CHECK(sha256_hex(std::string(1000000, 'a')) ==
          "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("SHA-256 in pieces is SHA-256 of the whole, wherever the cuts are") {
    const std::string text(200, 'x');
    const std::string whole = sha256_hex(text);
    for (std::size_t cut = 0; cut <= text.size(); ++cut) {
        Sha256 digest;
        digest.update(std::string_view(text).substr(0, cut));
        digest.update(std::string_view(text).substr(cut));
        CHECK(digest.hex() == whole);
    }
}

TEST_CASE("SHA-256 pads messages around the block's end") {
    // 55 bytes leave room for the length in the block, 56 and 64 do not.
    CHECK(sha256_hex(std::string(55, 'a')) ==
          "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318");
    CHECK(sha256_hex(std::string(56, 'a')) ==
          "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a");
    CHECK(sha256_hex(std::string(64, 'a')) ==
          "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb");
}
