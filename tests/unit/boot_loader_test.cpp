// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "machines.hpp"

#include <regatta/boot/boot_line.hpp>

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <vector>

namespace {

using namespace library_test;
using regatta::boot_loader;
using regatta::find_boot_loaders;

std::vector<boot_loader> loaders_of(std::initializer_list<const char*> paths) {
    machine_files files;
    files.file("/proc/sys/kernel/osrelease", "6.1.0\n");
    for (const char* path : paths) {
        files.file(path, "");
    }
    const machine_root root(files);
    return find_boot_loaders(root.path());
}

} // namespace

TEST(boot_loader, is_none_in_a_container) {
    EXPECT_TRUE(loaders_of({}).empty());
}

TEST(boot_loader, grub_is_set_as_the_distribution_sets_it) {
    const auto debian = loaders_of({"/etc/default/grub", "/usr/sbin/update-grub"});
    ASSERT_EQ(debian.size(), 1u);
    EXPECT_EQ(debian[0].name, "GRUB");
    EXPECT_EQ(debian[0].file, "/etc/default/grub");
    EXPECT_NE(debian[0].edit.find("GRUB_CMDLINE_LINUX"), std::string::npos);
    EXPECT_EQ(debian[0].command, "update-grub");
    // grubby may be installed on Debian, too.
    EXPECT_EQ(
        loaders_of({"/etc/default/grub", "/usr/sbin/update-grub", "/usr/bin/grubby"}).at(0).command,
        "update-grub");
    const auto fedora = loaders_of({"/etc/default/grub", "/usr/sbin/grubby", "/boot/grub2/x"});
    EXPECT_EQ(fedora.at(0).file, "");
    EXPECT_EQ(fedora.at(0).command, "grubby --update-kernel=ALL --args='OPTIONS'");
    EXPECT_EQ(loaders_of({"/etc/default/grub", "/boot/grub2/x"}).at(0).command,
              "grub2-mkconfig -o /boot/grub2/grub.cfg");
    EXPECT_EQ(loaders_of({"/etc/default/grub"}).at(0).command,
              "grub-mkconfig -o /boot/grub/grub.cfg");
}

TEST(boot_loader, systemd_boot_keeps_the_line_in_etc_kernel) {
    const auto fresh = loaders_of({"/boot/efi/loader/loader.conf"});
    ASSERT_EQ(fresh.size(), 1u);
    EXPECT_EQ(fresh[0].name, "systemd-boot");
    EXPECT_EQ(fresh[0].file, "/etc/kernel/cmdline");
    EXPECT_NE(fresh[0].edit.find("does not exist yet"), std::string::npos);
    EXPECT_EQ(fresh[0].command, "kernel-install add 6.1.0 /boot/vmlinuz-6.1.0");
    const auto used = loaders_of({"/etc/kernel/cmdline", "/usr/lib/modules/6.1.0/vmlinuz"});
    EXPECT_EQ(used.at(0).edit, "add the options to its one line");
    EXPECT_EQ(used.at(0).command, "kernel-install add 6.1.0 /usr/lib/modules/6.1.0/vmlinuz");
}

TEST(boot_loader, tools_that_own_the_entries_are_told) {
    EXPECT_EQ(loaders_of({"/etc/default/grub", "/boot/grub2/x", "/usr/bin/rpm-ostree",
                          "/run/ostree-booted"})
                  .at(0)
                  .command,
              "rpm-ostree kargs --append-if-missing=OPTION");
    EXPECT_EQ(loaders_of({"/etc/kernel/cmdline", "/etc/kernel/proxmox-boot-uuids",
                          "/usr/sbin/proxmox-boot-tool"})
                  .at(0)
                  .command,
              "proxmox-boot-tool refresh");
    EXPECT_EQ(loaders_of({"/boot/efi/loader/loader.conf", "/etc/kernelstub/configuration",
                          "/usr/bin/kernelstub"})
                  .at(0)
                  .command,
              "kernelstub -a \"OPTIONS\"");
    const auto arch = loaders_of({"/boot/loader/loader.conf", "/boot/loader/entries/arch.conf"});
    EXPECT_EQ(arch.at(0).file, "/boot/loader/entries");
    EXPECT_EQ(arch.at(0).command, "");
}

TEST(boot_loader, u_boot_is_set_where_the_system_keeps_its_variables) {
    const auto debian = loaders_of({"/etc/default/u-boot", "/usr/sbin/u-boot-update",
                                    "/boot/extlinux/extlinux.conf", "/boot/boot.scr"});
    ASSERT_EQ(debian.size(), 1u);
    EXPECT_EQ(debian[0].file, "/etc/default/u-boot");
    EXPECT_EQ(debian[0].command, "u-boot-update");
    EXPECT_EQ(loaders_of({"/boot/extlinux/extlinux.conf"}).at(0).file,
              "/boot/extlinux/extlinux.conf");
    EXPECT_EQ(loaders_of({"/boot/armbianEnv.txt", "/boot/boot.scr"}).at(0).file,
              "/boot/armbianEnv.txt");
    EXPECT_EQ(loaders_of({"/boot/uEnv.txt", "/boot/boot.scr"}).at(0).file, "/boot/uEnv.txt");
    EXPECT_EQ(loaders_of({"/etc/default/flash-kernel", "/boot/boot.scr"}).at(0).command,
              "flash-kernel");
    // Where the variable is not set, nothing is written.
    EXPECT_EQ(loaders_of({"/etc/fw_env.config"}).at(0).command,
              "old=$(fw_printenv -n bootargs) && fw_setenv bootargs \"$old OPTIONS\"");
    EXPECT_NE(loaders_of({"/boot/boot.scr"}).at(0).command.find("setenv bootargs"),
              std::string::npos);
    EXPECT_EQ(loaders_of({"/boot/firmware/cmdline.txt"}).at(0).file, "/boot/firmware/cmdline.txt");
}

TEST(boot_loader, the_one_that_started_the_system_comes_first) {
    machine_files files;
    files.file("/etc/default/grub", "").file("/etc/kernel/cmdline", "ro");
    const machine_root silent(files);
    EXPECT_EQ(find_boot_loaders(silent.path()).at(0).name, "GRUB");
    std::string info(4, '\6');
    for (const char c : std::string("systemd-boot 252.38")) {
        info += c;
        info += '\0';
    }
    files.file("/sys/firmware/efi/efivars/LoaderInfo-4a67b082-0a4c-41cf-b6c7-440b29bb8c4f", info);
    const machine_root named(files);
    const auto loaders = find_boot_loaders(named.path());
    ASSERT_EQ(loaders.size(), 2u);
    EXPECT_EQ(loaders[0].name, "systemd-boot");
    EXPECT_EQ(loaders[1].name, "GRUB");
}
